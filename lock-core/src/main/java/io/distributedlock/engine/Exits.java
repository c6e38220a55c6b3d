package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a holder leaves: the last one of an owner releases the lease, and no failure of
 * that hides what the work did.
 */
final class Exits {

	private static final Logger logger = LoggerFactory.getLogger(Exits.class);

	private final LeaseReleaser releaser;

	private final WaitingCalls waiting;

	private final Duration commandTimeout;

	Exits(Engine engine) {
		this.releaser = engine.releaser();
		this.waiting = engine.waiting();
		this.commandTimeout = engine.commandTimeout();
	}

	void exit(HeldLock lock, @Nullable Throwable workFailure) {
		if (!leave(lock)) {
			return;
		}
		Throwable failure = awaitUninterruptibly(this.releaser.release(lock));
		if (failure != null) {
			// an answer that never comes must not keep the others of this JVM waiting
			lock.leaveGate();
			LockUnavailableException exception = LockErrors.releaseFailed(lock.attempt(), failure);
			if (workFailure != null) {
				workFailure.addSuppressed(exception);
			}
			logger.warn(exception.getMessage());
		}
	}

	CompletableFuture<@Nullable Void> exitAsync(HeldLock lock) {
		if (!leave(lock)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.releaser.giveBack(lock);
	}

	/**
	 * Leave a lock under which nothing was done.
	 */
	CompletableFuture<@Nullable Void> discard(HeldLock lock) {
		return leave(lock) ? this.releaser.discard(lock) : CompletableFuture.completedFuture(null);
	}

	private boolean leave(HeldLock lock) {
		// closing the template gives back everything itself
		return lock.exit() && !this.waiting.isClosed();
	}

	/**
	 * Wait at most the command time-out. An interrupt is noted, and the wait goes on:
	 * what is held is given back first.
	 * @return what failed
	 */
	@Nullable Throwable awaitUninterruptibly(CompletableFuture<?> release) {
		long deadline = System.nanoTime() + this.commandTimeout.toNanos();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					release.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
					return null;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					return ex.getCause();
				}
				catch (TimeoutException ex) {
					TimeoutException failure = LockErrors.unanswered(this.commandTimeout);
					release.completeExceptionally(failure);
					return failure;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
