package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
		boolean wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
		send(lock, wasHeld, 0, done);
		return done.whenComplete((ignored, failure) -> lock.leaveGate());
	}

	/**
	 * Give a lease back without anyone waiting for it. A failure is logged.
	 * @param lock the lock to release
	 * @return completes normally, within the command time-out
	 */
	CompletableFuture<@Nullable Void> giveBack(HeldLock lock) {
		CompletableFuture<@Nullable Void> done = release(lock);
		if (!done.isDone()) {
			bound(done);
		}
		return done.handle((ignored, failure) -> {
			if (failure != null) {
				lock.leaveGate();
				Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure;
				logger.warn(LockErrors.releaseFailed(lock.attempt(), cause).getMessage());
			}
			return null;
		});
	}

	TimeoutException unanswered() {
		return new TimeoutException("no answer within the command time-out of " + LockTimes.text(this.commandTimeout));
	}

	private void bound(CompletableFuture<@Nullable Void> done) {
		try {
			Future<?> limit = this.scheduler.schedule(() -> done.completeExceptionally(unanswered()),
					this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
			done.whenComplete((ignored, failure) -> limit.cancel(false));
		}
		catch (RejectedExecutionException ex) {
			done.completeExceptionally(ex);
		}
	}

	private void send(HeldLock lock, boolean wasHeld, int retry, CompletableFuture<@Nullable Void> done) {
		CompletionStage<Boolean> answer;
		try {
			answer = lock.lease().release();
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
				sendLater(lock, wasHeld, retry + 1, done, failure);
			}
		});
	}

	private void sendLater(HeldLock lock, boolean wasHeld, int retry, CompletableFuture<@Nullable Void> done,
			Throwable failure) {
		try {
			this.scheduler.schedule(() -> send(lock, wasHeld, retry, done),
					this.commandTimeout.toNanos() / (2L << (RETRIES - retry)) / 2, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			done.completeExceptionally(failure);
		}
	}

}
