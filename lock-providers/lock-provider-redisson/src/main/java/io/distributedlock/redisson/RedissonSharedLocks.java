package io.distributedlock.redisson;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * Read and write locks on the layout of Redisson's {@code RReadWriteLock}: code that
 * calls {@code redissonClient.getReadWriteLock(sameName)} takes part.
 */
final class RedissonSharedLocks {

	private static final String READER = ":rwlock_timeout:";

	private final RedissonLockProvider provider;

	RedissonSharedLocks(RedissonLockProvider provider) {
		this.provider = provider;
	}

	CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String key = request.key();
		boolean read = request.type() == LockType.READ;
		String owner = this.provider.newOwnerField() + (read ? "" : ":write");
		String readerKey = "{" + key + "}:" + owner + READER + "1";
		List<Object> keys = read ? List.of(key, RedissonLockProvider.tokenKey(key), readerKey)
				: List.of(key, RedissonLockProvider.tokenKey(key));
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		RedissonScript acquire = read ? RedissonScript.ACQUIRE_READ : RedissonScript.ACQUIRE_WRITE;
		return acquire.run(this.provider.scripts(), keys, owner, Long.toString(request.leaseTime().toMillis()))
			.handle((token, failure) -> {
				if (failure != null) {
					throw this.provider.failed(request, failure, () -> release(key, owner, readerKey));
				}
				return (token != 0)
						? new RedissonLease(this.provider, key, OptionalLong.of(token), term, (scripts, leaseTime) -> {
							String millis = Long.toString(leaseTime.toMillis());
							return (read
									? RedissonScript.RENEW_READ.run(scripts, List.of(key, readerKey), owner, millis)
									: RedissonScript.RENEW.run(scripts, List.of(key), owner, millis))
								.thenApply((renewed) -> renewed == 1);
						}, () -> release(key, owner, readerKey)) : null;
			});
	}

	private CompletionStage<Boolean> release(String key, String owner, String readerKey) {
		return RedissonScript.RELEASE_SHARED
			.run(this.provider.scripts(), List.of(key, readerKey), owner, "redisson_rwlock:{" + key + "}",
					"redisson_lock__channel:{" + key + "}", "{" + key + "}:", READER,
					this.provider.server().publishCommand())
			.handle((released, failure) -> {
				if (failure != null) {
					throw RedissonErrors.translate(failure);
				}
				return released == 1;
			});
	}

}
