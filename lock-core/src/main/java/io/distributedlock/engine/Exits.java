package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * How a holder leaves: the last holder releases the lease. A failure of that is reported,
 * and never replaces what the work returned or threw.
 */
final class Exits {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(Exits.class));

	private static final CompletableFuture<@Nullable LockUnavailableException> LEFT = CompletableFuture
		.completedFuture(null);

	private final EngineRuntime runtime;

	private final Callbacks callbacks;

	private final long commandTimeoutNanos;

	private final Duration commandTimeout;

	private final boolean asyncRelease;

	private final Function<HeldLock, CompletableFuture<@Nullable Void>> releaseAfterMinimum;

	private final Function<HeldLock, CompletableFuture<@Nullable Void>> releaseNow;

	Exits(Engine engine) {
		this.runtime = engine.runtime();
		this.releaseAfterMinimum = engine.releaser()::releaseAfterMinimum;
		this.releaseNow = engine.releaser()::releaseNow;
		this.callbacks = engine.callbacks();
		this.commandTimeoutNanos = engine.questions().commandTimeoutNanos();
		this.commandTimeout = engine.commandTimeout();
		this.asyncRelease = engine.asyncRelease();
	}

	Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Leave a lock.
	 * @return completes within the command time-out, always normally: with what failed,
	 * which is logged too; {@code null} if nothing failed
	 */
	CompletableFuture<@Nullable LockUnavailableException> leave(HeldLock lock) {
		return leave(lock, this.releaseAfterMinimum);
	}

	/**
	 * As {@link #leave}, for a lock under which nothing was done.
	 */
	CompletableFuture<@Nullable LockUnavailableException> leaveUnused(HeldLock lock) {
		return leave(lock, this.releaseNow);
	}

	private static CompletableFuture<@Nullable LockUnavailableException> leave(HeldLock lock,
			Function<HeldLock, CompletableFuture<@Nullable Void>> release) {
		if (!lock.holders().exit()) {
			return LEFT;
		}
		CompletableFuture<@Nullable Void> released = release.apply(lock);
		// while the request is under way
		lock.observed().released();
		if (lock.loss() != null) {
			lock.engine().listeners().releasedLate(lock);
		}
		if (released.isDone() && !released.isCompletedExceptionally()) {
			return LEFT;
		}
		return released.handle((done, failure) -> {
			if (failure == null) {
				return null;
			}
			LockUnavailableException exception = LockErrors.releaseFailed(lock.attempt(), Failures.unwrap(failure));
			warnings.warn("{}", exception.getMessage());
			return exception;
		});
	}

	/**
	 * Wait until a lock is left, at most the command time-out, unless the template
	 * releases asynchronously. An interrupt does not end the wait, since the release
	 * comes first; the thread is interrupted again after it.
	 * @param left completes with what failed
	 * @param workFailure what the work threw; a failed release is added to it as
	 * suppressed
	 */
	void await(CompletableFuture<@Nullable LockUnavailableException> left, @Nullable Throwable workFailure) {
		if (this.asyncRelease && !left.isDone()) {
			return;
		}
		LockUnavailableException failure = awaitUninterruptibly(left);
		if (failure != null && workFailure != null) {
			workFailure.addSuppressed(failure);
		}
	}

	/**
	 * Wait for a step that ends within the command time-out.
	 * @return the result, {@code null} if the step has not ended by then
	 */
	<T> @Nullable T awaitUninterruptibly(CompletableFuture<@Nullable T> future) {
		if (future.isDone()) {
			return future.join();
		}
		// the step ends by itself at the command time-out; this deadline is for a JVM
		// that
		// is too busy to run the timer
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
	 * Return a future for the user: what depends on it runs on the user's executor, and
	 * not on the thread that brings the answer.
	 */
	CompletableFuture<@Nullable Void> forUser(CompletableFuture<?> step) {
		CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
		boolean done = step.isDone();
		Callbacks.ForCaller caller = this.callbacks.capture();
		step.whenComplete((value, failure) -> {
			Runnable completion = () -> {
				if (failure != null) {
					result.completeExceptionally(Failures.unwrap(failure));
				}
				else {
					result.complete(null);
				}
			};
			if (done) {
				completion.run();
			}
			else {
				caller.run(completion);
			}
		});
		return result;
	}

}
