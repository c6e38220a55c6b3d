package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock that passes from a holder to a waiter.
 */
final class HandOver {

	private HandOver() {
	}

	/**
	 * Acquire a lock, refuse it to another caller, extend it and release it to a waiter.
	 */
	static void between(LockTemplate holder, LockTemplate waiter, LockRequest request) {
		LockRequest conflicting = (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request;
		LockHandle handle = holder.acquire(request.withWaitTime(Patience.LIMIT));
		assertThat(waiter.tryAcquire(conflicting)).as(request.toString()).isEmpty();
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(conflicting.withWaitTime(Patience.LIMIT));
		Patience.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
		handle.extend(Duration.ofSeconds(40));
		handle.close();
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies((next) -> {
			if (handle.fencingToken().isPresent()) {
				assertThat(next.fencingToken().orElseThrow()).isGreaterThan(handle.fencingToken().orElseThrow());
			}
			next.close();
		});
	}

	/**
	 * Ask who has a lock, and take it away from its holder, for a waiter.
	 * @param provider the provider of both templates
	 */
	static void forced(DefaultLockTemplate holder, DefaultLockTemplate waiter, LockProvider provider,
			LockRequest request) {
		LockRequest conflicting = (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request;
		LockHandle handle = holder.acquire(request.withWaitTime(Patience.LIMIT).withLeaseTime(Patience.LIMIT));
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(conflicting.withWaitTime(Patience.LIMIT));
		Patience.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
		assertThat(waiter.backends().owners(provider.name(), handle.key())).succeedsWithin(Patience.LIMIT)
			.satisfies((owners) -> assertThat(owners).as(request.toString())
				.singleElement()
				.satisfies((owner) -> assertThat(waiter.backends().forceRelease(provider.name(), handle.key(), owner))
					.succeedsWithin(Patience.LIMIT)
					.satisfies((forced) -> assertThat(forced.released()).isTrue())));
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
		handle.close();
	}

	/**
	 * Return a request that only one caller at a time is granted, or several readers and
	 * no writer.
	 */
	static LockRequest request(String name, LockType type) {
		LockRequest request = LockRequest.of(name);
		return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
	}

}
