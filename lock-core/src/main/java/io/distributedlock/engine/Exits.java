package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a holder leaves: the last one of an owner releases the lease, the last one who may
 * write lets others read, and no failure of that hides what the work did.
 */
final class Exits {

	private static final Logger logger = LoggerFactory.getLogger(Exits.class);

	private static final CompletableFuture<@Nullable LockUnavailableException> LEFT = CompletableFuture
		.completedFuture(null);

	private final EngineRuntime runtime;

	private final LeaseReleaser releaser;

	private final long commandTimeoutNanos;

	private final Duration commandTimeout;

	Exits(Engine engine) {
		this.runtime = engine.runtime();
		this.releaser = engine.releaser();
		this.commandTimeoutNanos = engine.questions().commandTimeoutNanos();
		this.commandTimeout = engine.commandTimeout();
	}

	Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Leave a lock.
	 * @param type what the caller had entered it for
	 * @return completes, always normally, within the command time-out: with what failed,
	 * which is logged
	 */
	CompletableFuture<@Nullable LockUnavailableException> leave(HeldLock lock, LockType type) {
		Holders.Exit exit = lock.holders().exit(type);
		return (exit == Holders.Exit.LAST) ? reported(lock, this.releaser.release(lock), LockErrors::releaseFailed)
				: leftToOthers(lock, exit);
	}

	/**
	 * Leave a lock under which nothing was done.
	 */
	CompletableFuture<@Nullable LockUnavailableException> discard(HeldLock lock, LockType type) {
		Holders.Exit exit = lock.holders().exit(type);
		return (exit == Holders.Exit.LAST) ? reported(lock, this.releaser.discard(lock), LockErrors::releaseFailed)
				: leftToOthers(lock, exit);
	}

	private static CompletableFuture<@Nullable LockUnavailableException> leftToOthers(HeldLock lock,
			Holders.Exit exit) {
		Downgrade downgrade = (exit == Holders.Exit.LAST_WRITER) ? lock.downgrade() : null;
		return (downgrade != null) ? reported(lock, downgrade.begin(), LockErrors::notDowngraded) : LEFT;
	}

	private static CompletableFuture<@Nullable LockUnavailableException> reported(HeldLock lock,
			CompletableFuture<@Nullable Void> step,
			BiFunction<LockAttempt, Throwable, LockUnavailableException> explained) {
		return step.handle((done, failure) -> {
			if (failure == null) {
				return null;
			}
			LockUnavailableException exception = explained.apply(lock.attempt(), LockErrors.unwrap(failure));
			logger.warn(exception.getMessage());
			return exception;
		});
	}

	/**
	 * Wait until a lock is left, at most the command time-out. An interrupt is noted, and
	 * the wait goes on: what is held is given back first.
	 * @param left what failed
	 * @param workFailure what the work threw, which is told of a failed release
	 */
	void await(CompletableFuture<@Nullable LockUnavailableException> left, @Nullable Throwable workFailure) {
		LockUnavailableException failure = awaitUninterruptibly(left);
		if (failure != null && workFailure != null) {
			workFailure.addSuppressed(failure);
		}
	}

	/**
	 * Wait for what ends within the command time-out.
	 * @return the result, {@code null} if there is none by then
	 */
	<T> @Nullable T awaitUninterruptibly(CompletableFuture<@Nullable T> future) {
		if (future.isDone()) {
			return future.join();
		}
		// what is waited for ends by itself at the command time-out; this is for a JVM
		// that
		// has no thread for that
		long deadline = this.runtime.nanoTime() + this.commandTimeoutNanos + this.commandTimeoutNanos / 8;
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return this.runtime.await(future, deadline - this.runtime.nanoTime());
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					throw new IllegalStateException("A release is reported and not thrown", ex);
				}
				catch (TimeoutException ex) {
					return null;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return what completes for the user, on the user's executor and not on the thread
	 * that brings the answer.
	 */
	CompletableFuture<@Nullable Void> forUser(CompletableFuture<?> step) {
		CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
		boolean done = step.isDone();
		step.whenComplete((value, failure) -> {
			Runnable completion = () -> {
				if (failure != null) {
					result.completeExceptionally(LockErrors.unwrap(failure));
				}
				else {
					result.complete(null);
				}
			};
			if (done) {
				completion.run();
			}
			else {
				this.runtime.callBack(completion);
			}
		});
		return result;
	}

}
