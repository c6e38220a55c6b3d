package io.distributedlock.redisson;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RPermitExpirableSemaphore;

/**
 * Permits of Redisson's {@code RPermitExpirableSemaphore}, by the name of the key and
 * {@code :permits}. Its number of permits is set by the first who asks, and set anew by
 * one who finds none free and another number.
 */
final class RedissonSemaphores {

	private final RedissonLockProvider provider;

	RedissonSemaphores(RedissonLockProvider provider) {
		this.provider = provider;
	}

	CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		RPermitExpirableSemaphore semaphore = this.provider.client()
			.getPermitExpirableSemaphore(request.key() + ":permits");
		return attempt(semaphore, request)
			.thenCompose((lease) -> (lease != null) ? CompletableFuture.completedFuture(lease)
					: setPermits(semaphore, request.permits()).thenCompose((changed) -> changed
							? attempt(semaphore, request) : CompletableFuture.<@Nullable Lease>completedFuture(null)))
			.handle((lease, failure) -> {
				if (failure != null) {
					// who asked for a permit in vain does not know its id: it ends with
					// its lease
					throw RedissonErrors.translate(failure);
				}
				return lease;
			});
	}

	private CompletionStage<@Nullable Lease> attempt(RPermitExpirableSemaphore semaphore, LeaseRequest request) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		CompletionStage<String> answer = semaphore.tryAcquireAsync(0, request.leaseTime().toMillis(),
				TimeUnit.MILLISECONDS);
		return answer.thenApply((permit) -> (permit != null) ? new RedissonLease(this.provider, request.key(),
				OptionalLong.empty(), term, (scripts, leaseTime) -> semaphore.updateLeaseTimeAsync(permit,
						leaseTime.toMillis(), TimeUnit.MILLISECONDS),
				() -> semaphore.tryReleaseAsync(permit).handle((released, failure) -> {
					if (failure != null) {
						throw RedissonErrors.translate(failure);
					}
					return released;
				})) : null);
	}

	private static CompletionStage<Boolean> setPermits(RPermitExpirableSemaphore semaphore, int permits) {
		return semaphore.trySetPermitsAsync(permits).thenCompose((set) -> {
			if (set) {
				return CompletableFuture.completedFuture(true);
			}
			return semaphore.getPermitsAsync()
				.thenCompose((current) -> (current == permits) ? CompletableFuture.completedFuture(false)
						: semaphore.setPermitsAsync(permits).thenApply((done) -> true));
		});
	}

}
