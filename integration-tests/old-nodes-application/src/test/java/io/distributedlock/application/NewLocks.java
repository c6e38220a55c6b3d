package io.distributedlock.application;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.redisson.RedissonLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.zookeeper.ZooKeeperLockProvider;
import io.lettuce.core.RedisClient;

/**
 * The locks of this library, at a full key.
 */
final class NewLocks {

	private NewLocks() {
	}

	/**
	 * Return a lock on Redis.
	 * @param polling how often old nodes ask, zero if that is not set
	 */
	static Locking redis(String url, String key, Duration polling) {
		return locking(template(new RedisLockProvider(RedisClient.create(url), Patience.LIMIT), polling), key);
	}

	static Locking redisson(String url, String key, Duration polling) {
		return locking(template(new RedissonLockProvider(Clients.redisson(url)), polling), key);
	}

	static Locking jdbc(String url, String key) {
		return OldLocks.lock(jdbcLock(url, key));
	}

	static Lock jdbcLock(String url, String key) {
		JdbcLockSettings settings = JdbcLockSettings.of(JdbcDialect.H2).withCommandTimeout(Patience.LIMIT);
		return template(JdbcLocks.provider(Clients.pool(url), settings), Duration.ZERO)
			.asLock(LockRequest.ofExactKey(key));
	}

	static Locking zooKeeper(String url, String key) {
		return locking(template(
				new ZooKeeperLockProvider(Clients.zooKeeper(url), ZooKeeperLockProvider.DEFAULT_ROOT, Patience.LIMIT),
				Duration.ZERO), key);
	}

	private static LockTemplate template(LockProvider provider, Duration polling) {
		return DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.interopPolling(polling)
			.build();
	}

	private static Locking locking(LockTemplate template, String key) {
		LockRequest request = LockRequest.ofExactKey(key).withWaitTime(Patience.LIMIT);
		return () -> template.acquire(request);
	}

}
