package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives leases back, and tries again for as long as a command may take. After that the
 * lease ends by itself.
 */
final class LeaseReleaser {

	private static final Logger logger = LoggerFactory.getLogger(LeaseReleaser.class);

	private static final int RETRIES = 3;

	private final LeaseKeeper keeper;

	private final ScheduledExecutorService scheduler;

	private final Duration commandTimeout;

	private final ConcurrentHashMap<HeldLock, CompletableFuture<@Nullable Void>> pending = new ConcurrentHashMap<>();

	LeaseReleaser(LeaseKeeper keeper, ScheduledExecutorService scheduler, Duration commandTimeout) {
		this.keeper = keeper;
		this.scheduler = scheduler;
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Give a lease back. The next one in the local queue is let through when the backend
	 * has answered, or has failed to.
	 * @param lock the lock to release
	 * @return completes when the lease is given back or was gone already; fails if the
	 * backend could not be told. The caller bounds the time
	 */
	CompletableFuture<@Nullable Void> release(HeldLock lock) {
		return end(lock, () -> (lock.remainingHoldNanos() > 0) ? keepForMinimum(lock) : lock.lease().release());
	}

	/**
	 * Give a lease back without anyone waiting for it. A failure is logged.
	 * @param lock the lock to release
	 * @return completes normally, within the command time-out
	 */
	CompletableFuture<@Nullable Void> giveBack(HeldLock lock) {
		return bounded(lock, release(lock));
	}

	/**
	 * As {@link #giveBack}, for a lease under which nothing was done: it is not kept for
	 * a minimum time.
	 */
	CompletableFuture<@Nullable Void> discard(HeldLock lock) {
		return bounded(lock, end(lock, () -> lock.lease().release()));
	}

	/**
	 * Return what is being given back, so that a template which closes can wait for it.
	 */
	List<CompletableFuture<@Nullable Void>> pending() {
		return List.copyOf(this.pending.values());
	}

	private CompletableFuture<@Nullable Void> bounded(HeldLock lock, CompletableFuture<@Nullable Void> done) {
		if (!done.isDone()) {
			bound(done);
		}
		return done.handle((ignored, failure) -> {
			if (failure != null) {
				lock.leaveGate();
				logger.warn(LockErrors.releaseFailed(lock.attempt(), LockErrors.unwrap(failure)).getMessage());
			}
			return null;
		});
	}

	private CompletableFuture<@Nullable Void> end(HeldLock lock, Supplier<CompletionStage<Boolean>> request) {
		boolean wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
		this.pending.put(lock, done);
		send(lock, request, wasHeld, 0, done);
		return done.whenComplete((ignored, failure) -> {
			this.pending.remove(lock);
			lock.leaveGate();
		});
	}

	/**
	 * The rest of the minimum time is left to run out: also if this JVM ends before. A
	 * backend whose leases cannot be made shorter is told at the end of it.
	 */
	private CompletionStage<Boolean> keepForMinimum(HeldLock lock) {
		Duration rest = LockTimes.wholeMillis(Duration.ofNanos(Math.max(lock.remainingHoldNanos(), 1)));
		Duration shortest = lock.provider().leaseLimits().shortest();
		Duration wanted = (rest.compareTo(shortest) < 0) ? shortest : rest;
		return lock.lease().renew(wanted).thenApply((term) -> {
			if (term != null && !lock.provider().capabilities().contains(LockCapability.EXACT_EXPIRY)) {
				releaseLater(lock, rest);
			}
			return term != null;
		});
	}

	private void releaseLater(HeldLock lock, Duration rest) {
		try {
			this.scheduler.schedule(() -> lock.lease().release(), rest.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Lock '{}' is kept until its lease ends: the template is closed", lock.key());
		}
	}

	private void bound(CompletableFuture<@Nullable Void> done) {
		try {
			Future<?> limit = this.scheduler.schedule(
					() -> done.completeExceptionally(LockErrors.unanswered(this.commandTimeout)),
					this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
			done.whenComplete((ignored, failure) -> limit.cancel(false));
		}
		catch (RejectedExecutionException ex) {
			done.completeExceptionally(ex);
		}
	}

	private void send(HeldLock lock, Supplier<CompletionStage<Boolean>> request, boolean wasHeld, int retry,
			CompletableFuture<@Nullable Void> done) {
		CompletionStage<Boolean> answer;
		try {
			answer = request.get();
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		answer.whenComplete((stillOwned, failure) -> {
			if (failure == null) {
				// a retry finds nothing where only the answer to its forerunner was lost
				if (!stillOwned && wasHeld && retry == 0) {
					logger.warn(
							"Lock '{}' of provider {} was no longer held when it was given back: its lease ended before. Another owner may have held it meanwhile.",
							lock.key(), lock.provider().name());
				}
				done.complete(null);
			}
			else if (retry == RETRIES || done.isDone()) {
				done.completeExceptionally(failure);
			}
			else {
				sendLater(lock, request, wasHeld, retry + 1, done, failure);
			}
		});
	}

	private void sendLater(HeldLock lock, Supplier<CompletionStage<Boolean>> request, boolean wasHeld, int retry,
			CompletableFuture<@Nullable Void> done, Throwable failure) {
		try {
			this.scheduler.schedule(() -> send(lock, request, wasHeld, retry, done),
					this.commandTimeout.toNanos() / (2L << (RETRIES - retry)) / 2, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			done.completeExceptionally(failure);
		}
	}

}
