package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.util.OptionalLong;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.redisson.RedissonLockProvider;
import io.distributedlock.spi.LockProvider;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;

/**
 * This library on its providers, through the template.
 */
public final class Ours {

	/**
	 * Part of it is for the first connection, which takes seconds where many JVMs start
	 * at the same time.
	 */
	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(15);

	private Ours() {
	}

	static Contender redis(String url, LockType type) {
		return contender(new RedisLockProvider(RedisClient.create(url), COMMAND_TIMEOUT), type, Peers.LEASE);
	}

	static Contender redisson(String url, LockType type) {
		return contender(new RedissonLockProvider(Peers.redisson(url)), type, Peers.LEASE);
	}

	static Contender redisAsyncRelease(String url) {
		return asyncRelease(new RedisLockProvider(RedisClient.create(url), COMMAND_TIMEOUT));
	}

	static Contender redissonAsyncRelease(String url) {
		return asyncRelease(new RedissonLockProvider(Peers.redisson(url)));
	}

	private static Contender asyncRelease(LockProvider provider) {
		return contender(template(provider).asyncRelease(true).build(), LockType.EXCLUSIVE, Peers.LEASE);
	}

	static Contender local() {
		return contender(new LocalLockProvider(), LockType.EXCLUSIVE, null);
	}

	static Contender redisRenewed(String url) {
		return contender(new RedisLockProvider(RedisClient.create(url), COMMAND_TIMEOUT), LockType.EXCLUSIVE, null);
	}

	static Contender redissonRenewed(String url) {
		return contender(new RedissonLockProvider(Peers.redisson(url)), LockType.EXCLUSIVE, null);
	}

	/**
	 * Return a contender.
	 * @param lease the lease time; {@code null}: the lease is renewed
	 */
	static Contender contender(LockProvider provider, LockType type, @Nullable Duration lease) {
		return contender(template(provider).build(), type, lease);
	}

	private static LockTemplateBuilder template(LockProvider provider) {
		return DefaultLockTemplate.builder()
			.provider(provider)
			.keyPrefix("shop:lock")
			.renewalLeaseTime(Peers.RENEWED_LEASE);
	}

	private static Contender contender(LockTemplate template, LockType type, @Nullable Duration lease) {
		return (key, wait) -> {
			LockRequest request = LockRequest.of(key).withType(type).withWaitTime(wait);
			return template.tryAcquire((lease != null) ? request.withLeaseTime(lease) : request)
				.map(Held::new)
				.orElse(null);
		};
	}

	private record Held(LockHandle handle) implements Contender.Hold {

		@Override
		public void unlock() {
			this.handle.close();
		}

		@Override
		public OptionalLong fencingToken() {
			return this.handle.fencingToken();
		}

	}

}
