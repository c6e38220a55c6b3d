package io.distributedlock.engine.internal.handle;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.lease.Extension;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * How a holder leaves: the last holder releases the lease. A failure of that is reported,
 * and never replaces what the work returned or threw.
 *
 * @param runtime time and threads
 * @param providerCalls knows the command time-out
 * @param callbacks completes futures of the user
 * @param listeners are told of late releases
 * @param releaser releases leases
 * @param extension extends leases
 * @param asyncRelease whether who closes a lock does not wait for the release
 */
public record HandleReleases(EngineRuntime runtime, ProviderCalls providerCalls, Callbacks callbacks,
		Listeners listeners, LeaseReleaser releaser, Extension extension, boolean asyncRelease) {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(HandleReleases.class));

	// a JVM that cannot start its thread fails now, and not when a lock is acquired
	static final HandleLeaks leaks = new HandleLeaks();

	private static final CompletableFuture<@Nullable LockUnavailableException> LEFT = CompletableFuture
		.completedFuture(null);

	/**
	 * Leave a lock.
	 * @param used {@code false} if nothing was done under it
	 * @return completes within the command time-out, always normally: with what failed,
	 * which is logged too; {@code null} if nothing failed
	 */
	public CompletableFuture<@Nullable LockUnavailableException> leave(HeldLock lock, boolean used) {
		if (!lock.exit(used)) {
			return LEFT;
		}
		CompletableFuture<@Nullable Void> released = this.releaser.release(lock, lock.isUsed());
		// while the request is under way
		lock.observed().released();
		if (lock.loss() != null) {
			this.listeners.tell(LockEvent.ReleasedLate.class,
					(now) -> new LockEvent.ReleasedLate(lock.attempt().info(), now, lock.heldFor()));
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
	 * @param handle the handle that is closed, for an exception
	 * @param left completes with what failed
	 * @param workFailure what the work threw; a failed release is added to it as
	 * suppressed
	 */
	void await(EngineHandle handle, CompletableFuture<@Nullable LockUnavailableException> left,
			@Nullable Throwable workFailure) {
		if (this.asyncRelease && !left.isDone()) {
			return;
		}
		awaitUninterruptibly(left);
		if (workFailure != null) {
			LockUnavailableException failure = left.isDone() ? left.join()
					: LockErrors.releaseFailed(handle.attempt(), this.providerCalls.noAnswer());
			if (failure != null) {
				workFailure.addSuppressed(failure);
			}
		}
	}

	/**
	 * Wait for a step that ends within the command time-out.
	 * @return the result, {@code null} if the step has not ended by then
	 */
	public <T> @Nullable T awaitUninterruptibly(CompletableFuture<@Nullable T> future) {
		if (future.isDone()) {
			return future.join();
		}
		// the step ends by itself at the command time-out; this deadline is for a JVM
		// that is too busy to run the timer
		long limit = this.providerCalls.commandTimeoutNanos();
		long deadline = this.runtime.nanoTime() + limit + limit / 8;
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
	 * Wait for an extension, which ends within the command time-out. An interrupt does
	 * not end the wait; the thread is interrupted again after it.
	 * @param attempt what was asked for, for an exception
	 */
	void awaitExtension(LockAttempt attempt, CompletableFuture<@Nullable Void> extended) {
		Optional<Throwable> failure = awaitUninterruptibly(
				extended.handle((done, failed) -> Optional.ofNullable(failed)));
		if (failure == null) {
			// the JVM was paused, and its timers have not run yet
			throw LockErrors.notExtended(attempt, this.providerCalls.noAnswer());
		}
		if (failure.isPresent()) {
			throw (Failures.unwrap(failure.get()) instanceof RuntimeException cause) ? cause
					: new CompletionException(failure.get());
		}
	}

	/**
	 * Return a future for the user: what depends on it runs on the user's executor, and
	 * not on the thread that brings the answer.
	 */
	public CompletableFuture<@Nullable Void> forUser(CompletableFuture<?> step) {
		CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
		boolean done = step.isDone();
		Callbacks.ForCaller caller = this.callbacks.capture();
		step.whenComplete((value, failure) -> {
			Runnable completion = () -> Failures.settle(result, null, failure);
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
