package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.LockExecutor;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.lettuce.core.RedisURI;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;

import static io.distributedlock.benchmarks.contention.contender.Contender.FOREVER;

/**
 * Other libraries on Redis.
 */
final class Peers {

	static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * A renewal is due each two seconds.
	 */
	static final Duration RENEWED_LEASE = Duration.ofSeconds(6);

	/**
	 * How long a caller of ShedLock, which cannot wait, sleeps before it asks again.
	 */
	private static final long PAUSE_MILLIS = 1;

	private Peers() {
	}

	static RedissonClient redisson(String url) {
		Config config = new Config();
		config.useSingleServer().setAddress(url);
		config.setLockWatchdogTimeout(RENEWED_LEASE.toMillis());
		return Redisson.create(config);
	}

	static Contender redissonLock(String url, boolean fair) {
		RedissonClient client = redisson(url);
		return leases((key) -> fair ? client.getFairLock(key) : client.getLock(key));
	}

	static Contender redissonFenced(String url) {
		RedissonClient client = redisson(url);
		return leases(client::getFencedLock);
	}

	static Contender redissonSpin(String url) {
		RedissonClient client = redisson(url);
		return leases(client::getSpinLock);
	}

	static Contender lock4jRedisson(String url) throws Exception {
		return lock4j(new RedissonLockExecutor(redisson(url)), new Lock4jProperties());
	}

	static Contender lock4jTemplate(String url) throws Exception {
		Lock4jProperties properties = new Lock4jProperties();
		return lock4j(new RedisTemplateLockExecutor(new StringRedisTemplate(connections(url)), properties), properties);
	}

	static Contender springIntegration(String url, RedisLockType type) {
		RedisLockRegistry registry = new RedisLockRegistry(connections(url), "shop", LEASE);
		registry.setRedisLockType(type);
		return locks(registry);
	}

	static Contender locks(LockRegistry<?> registry) {
		return (key, wait) -> {
			Lock lock = registry.obtain(key);
			if (wait.equals(FOREVER)) {
				lock.lock();
			}
			else if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
				return null;
			}
			return lock::unlock;
		};
	}

	static Contender redissonRenewed(String url) {
		RedissonClient client = redisson(url);
		return (key, wait) -> {
			Lock lock = client.getLock(key);
			lock.lock();
			return lock::unlock;
		};
	}

	static Contender shedLock(String url) {
		return shedLock(new RedisLockProvider(connections(url)));
	}

	static Contender shedLock(LockProvider provider) {
		return (key, wait) -> {
			long start = System.nanoTime();
			while (true) {
				Optional<SimpleLock> lock = provider
					.lock(new LockConfiguration(Instant.now(), key, LEASE, Duration.ZERO));
				if (lock.isPresent()) {
					return lock.get()::unlock;
				}
				if (System.nanoTime() - start >= wait.toNanos()) {
					return null;
				}
				Thread.sleep(PAUSE_MILLIS);
			}
		};
	}

	private static Contender leases(Function<String, org.redisson.api.RLock> locks) {
		return (key, wait) -> {
			var lock = locks.apply(key);
			if (wait.equals(FOREVER)) {
				lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
			}
			else if (!lock.tryLock(wait.toMillis(), LEASE.toMillis(), TimeUnit.MILLISECONDS)) {
				return null;
			}
			return lock::unlock;
		};
	}

	private static Contender lock4j(LockExecutor<?> executor, Lock4jProperties properties) throws Exception {
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List.of(executor));
		template.afterPropertiesSet();
		return (key, wait) -> {
			LockInfo lock = template.lock(key, LEASE.toMillis(), wait.toMillis());
			return (lock != null) ? () -> template.releaseLock(lock) : null;
		};
	}

	private static LettuceConnectionFactory connections(String url) {
		RedisURI uri = RedisURI.create(url);
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

}
