package io.distributedlock.engine.internal.acquire;

import java.lang.ref.Reference;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.event.ObservedCall;
import io.distributedlock.engine.internal.handle.EngineHandle;
import io.distributedlock.engine.internal.handle.HandleReleases;
import io.distributedlock.engine.internal.handle.SingleHandle;
import io.distributedlock.engine.internal.key.Acquisition;
import io.distributedlock.engine.internal.key.AcquisitionOutcome;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.event.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks for a caller: by re-entry, or by an {@link Acquisition} for which a
 * thread waits or which completes a future.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md
 *
 * @param shared what its acquisitions have in common
 * @param observers observe each call
 * @param callbacks runs code of the user
 * @param handleReleases what the handles have in common
 */
public record Acquirer(Acquisition.Shared shared, List<LockObserver> observers, Callbacks callbacks,
		HandleReleases handleReleases) {

	/**
	 * Acquire locks on this thread.
	 * @param orThrow whether contention is an exception
	 * @return the handle, {@code null} if others hold a lock
	 */
	public @Nullable LockHandle acquire(List<LockAttempt> attempts, boolean orThrow) {
		LockAttempt attempt = attempts.get(0);
		EngineHandle handle = (attempts.size() > 1) ? new MultiLockAcquisition(this, attempts, orThrow, false).await()
				: await(attempt, 0, orThrow, longestNanos(attempt));
		if (handle != null) {
			LockContext.attach(handle);
		}
		return handle;
	}

	/**
	 * Acquire locks without blocking.
	 * @param orThrow whether contention is an exception
	 * @param toResult makes the result from the handle, or from nothing if others hold a
	 * lock
	 * @param future completes on a thread for code of the user; if the user completes or
	 * cancels it, the acquisition ends
	 * @param forWork whether work under the locks starts where the future completes: on
	 * the user's executor only, and within the limit of the call
	 */
	public <R> void start(List<LockAttempt> attempts, boolean orThrow, Function<Optional<EngineHandle>, R> toResult,
			CompletableFuture<R> future, boolean forWork) {
		LockAttempt first = attempts.get(0);
		if (attempts.size() > 1) {
			new MultiLockAcquisition(this, attempts, orThrow, forWork).start(future, toResult);
		}
		else {
			start(first, 0, orThrow, toResult, future, forWork ? limited(first, future) : Callbacks.ForCaller::run);
		}
	}

	/**
	 * Return what brings work to the user's executor, where it waits for a thread no
	 * longer than its call may take.
	 */
	private BiConsumer<Callbacks.ForCaller, Runnable> limited(LockAttempt attempt, CompletableFuture<?> future) {
		long untilNanos = this.shared.runtime().nanoTime() + LockTimes.saturatedNanos(attempt.waitTime())
				+ this.shared.providerCalls().commandTimeoutNanos();
		return (caller, work) -> caller.run(work, () -> {
			Timers.Timer limit = callBackAt(untilNanos, caller, () -> future
				.completeExceptionally(outOfTime(attempt, LockErrors.notAcquired(attempt, Reason.NO_THREAD))));
			future.whenComplete((ignored, failure) -> limit.cancel());
		});
	}

	/**
	 * Close the innermost handle on this thread that stands for these locks.
	 */
	public boolean closeOnThread(List<LockAttempt> attempts) {
		Optional<LockHandle> found = LockContext.capture()
			.innermost((handle) -> handle instanceof EngineHandle each && each.isFor(attempts, this.shared.keeper()));
		found.ifPresent(LockHandle::close);
		return found.isPresent();
	}

	/**
	 * Wait for one lock on this thread.
	 * @param waitedNanos how much of the wait time other locks of the call have taken
	 * @param orThrow whether contention is an exception
	 * @param timeoutNanos how long to wait for the outcome at most
	 * @return the handle, {@code null} if others hold the lock
	 */
	@Nullable EngineHandle await(LockAttempt attempt, long waitedNanos, boolean orThrow, long timeoutNanos) {
		LockContext caller = LockContext.capture();
		AcquisitionOutcome reentered = reenter(attempt, caller);
		if (reentered != null) {
			return toHandle(attempt, reentered, ObservedCall.NONE, orThrow);
		}
		ObservedCall observed = ObservedCall.begin(attempt, this.observers, this.shared.runtime());
		Acquisition acquisition = new Acquisition(attempt, waitedNanos, this.shared, caller, Thread.currentThread(),
				observed);
		return toHandle(attempt, await(acquisition, timeoutNanos), observed, orThrow);
	}

	/**
	 * As for a lock of the JVM, an interrupt before the call ends a wait, though the key
	 * may be free, and does not matter to a call that does not wait.
	 */
	private AcquisitionOutcome await(Acquisition acquisition, long timeoutNanos) {
		boolean interrupted = Thread.interrupted();
		if (interrupted && acquisition.hasTimeToWait()) {
			acquisition.end(AcquisitionOutcome.INTERRUPTED);
		}
		CompletableFuture<AcquisitionOutcome> result = acquisition.start();
		try {
			return result.isDone() ? result.join() : this.shared.runtime().await(result, timeoutNanos);
		}
		catch (TimeoutException ex) {
			acquisition.endUnanswered();
		}
		catch (InterruptedException ex) {
			interrupted = true;
			acquisition.end(AcquisitionOutcome.INTERRUPTED);
		}
		catch (Throwable ex) {
			// there was no memory to wait
			acquisition.end(AcquisitionOutcome.unavailable(ex));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
		// ended already, by this thread or another one, so this does not wait
		return result.join();
	}

	/**
	 * Follow the acquisition of one lock.
	 * @param waitedNanos how much of the wait time other locks of the call have taken
	 * @param orThrow whether contention is an exception
	 * @param toResult makes the result from the handle, or from nothing if others hold it
	 * @param future as in
	 * {@link #start(List, boolean, Function, CompletableFuture, boolean)}
	 * @param threads runs what completes the future with the handle
	 */
	<R> void start(LockAttempt attempt, long waitedNanos, boolean orThrow, Function<Optional<EngineHandle>, R> toResult,
			CompletableFuture<R> future, BiConsumer<Callbacks.ForCaller, Runnable> threads) {
		LockContext caller = LockContext.capture();
		AcquisitionOutcome reentered = reenter(attempt, caller);
		ObservedCall observed = (reentered != null) ? ObservedCall.NONE
				: ObservedCall.begin(attempt, this.observers, this.shared.runtime());
		Delivery<R> delivery = new Delivery<>(this, attempt, orThrow, toResult, future, observed, threads,
				this.callbacks.capture(), new AtomicReference<>());
		if (reentered != null) {
			delivery.send(reentered);
			return;
		}
		Acquisition acquisition = new Acquisition(attempt, waitedNanos, this.shared, caller, null, observed);
		future.whenComplete((ignored, failure) -> {
			if (failure instanceof LockUnavailableException) {
				// of several locks, the one that was asked for when their time was over
				acquisition.endUnanswered();
			}
			// cancelled, or completed by the user or a time-out
			acquisition.end(AcquisitionOutcome.INTERRUPTED);
		});
		acquisition.start().thenAccept(delivery::send);
	}

	/**
	 * Tell the observers how an acquisition ended, and return the handle that belongs to
	 * it. Runs code of the user.
	 * @param orThrow whether contention is an exception
	 * @return the handle, {@code null} if others hold the lock
	 */
	private @Nullable EngineHandle toHandle(LockAttempt attempt, AcquisitionOutcome outcome, ObservedCall observed,
			boolean orThrow) {
		HeldLock lock = outcome.lock();
		if (lock != null) {
			try {
				observed.acquired(lock.fencingToken(), lock.index() > 0, lock::loss);
				return new SingleHandle(attempt, lock, this.handleReleases);
			}
			catch (Throwable ex) {
				// nobody else can release it
				this.handleReleases.leave(lock, false);
				throw ex;
			}
		}
		Reason reason = outcome.reason();
		if (reason == null) {
			observed.unavailable(outcome.requiredFailure());
			throw LockErrors.unavailable(attempt, outcome.requiredFailure());
		}
		observed.notAcquired(reason);
		if (!orThrow && (reason == Reason.CONTENDED || reason == Reason.CROWDED)) {
			return null;
		}
		throw LockErrors.notAcquired(attempt, reason);
	}

	/**
	 * Run code of the user at a time, whether the user's executor is busy or not.
	 */
	Timers.Timer callBackAt(long nanos, Callbacks.ForCaller caller, Runnable code) {
		return this.shared.timers().at(nanos, () -> caller.runNow(code));
	}

	/**
	 * Return what a call fails with that has taken too long. A template that closes runs
	 * its timers early.
	 */
	LockException outOfTime(LockAttempt attempt, LockException otherwise) {
		return this.shared.calls().isClosed() ? LockErrors.notAcquired(attempt, Reason.CLOSED) : otherwise;
	}

	/**
	 * Enter a lock again that the caller holds.
	 * @return {@code null} if it holds none that it may enter
	 */
	private @Nullable AcquisitionOutcome reenter(LockAttempt attempt, LockContext context) {
		if (!attempt.isReentrant() || this.shared.calls().isClosed()) {
			return null;
		}
		HeldLock held = context.innermost((handle) -> reentered(handle, attempt) != null)
			.map((handle) -> reentered(handle, attempt))
			.orElse(null);
		if (held != null && !attempt.isCoveredBy(held.attempt().type())) {
			throw LockErrors.upgrade(attempt);
		}
		return (held != null && held.enter()) ? AcquisitionOutcome.acquired(held) : null;
	}

	private @Nullable HeldLock reentered(LockHandle handle, LockAttempt attempt) {
		return (handle instanceof EngineHandle each) ? each.reentered(attempt, this.shared.keeper()) : null;
	}

	/**
	 * An acquisition ends by itself within its wait time and one command time-out. This
	 * limit is for a JVM that is too busy to run the timer.
	 */
	private long longestNanos(LockAttempt attempt) {
		long commandTimeout = this.shared.providerCalls().commandTimeoutNanos();
		return LockTimes.saturatedNanos(attempt.waitTime()) + commandTimeout + commandTimeout / 8;
	}

	/**
	 * Brings an outcome to a caller's future, on an executor that may be slow or drop the
	 * task. As soon as nobody waits for the lock any more, or work under it has not
	 * started in time, it is released.
	 *
	 * @param <R> what the caller gets
	 * @param callbacks runs code for the caller
	 * @param undelivered who takes the lock from here either delivers it or releases it
	 */
	private record Delivery<R>(Acquirer acquirer, LockAttempt attempt, boolean orThrow,
			Function<Optional<EngineHandle>, R> toResult, CompletableFuture<R> future, ObservedCall observed,
			BiConsumer<Callbacks.ForCaller, Runnable> threads, Callbacks.ForCaller callbacks,
			AtomicReference<@Nullable HeldLock> undelivered) {

		private void send(AcquisitionOutcome outcome) {
			HeldLock lock = outcome.lock();
			if (lock == null) {
				this.callbacks.run(() -> deliver(outcome));
				return;
			}
			this.undelivered.set(lock);
			// cancelled, or completed by the user or a time-out
			this.future.whenComplete((ignored, failure) -> releaseUndelivered(failure));
			// only the task refers to the marker: if the executor drops the task, the
			// keeper finds the lock unused and releases it
			Object useMarker = lock.useMarker();
			this.threads.accept(this.callbacks, () -> deliver(outcome, useMarker));
		}

		private void deliver(AcquisitionOutcome outcome, Object useMarker) {
			try {
				if (this.undelivered.getAndSet(null) != null) {
					deliver(outcome);
				}
			}
			finally {
				Reference.reachabilityFence(useMarker);
			}
		}

		private void deliver(AcquisitionOutcome outcome) {
			EngineHandle handle = null;
			boolean delivered = false;
			try {
				handle = this.acquirer.toHandle(this.attempt, outcome, this.observed, this.orThrow);
				delivered = this.future.complete(this.toResult.apply(Optional.ofNullable(handle)));
			}
			catch (Throwable ex) {
				this.future.completeExceptionally(ex);
			}
			if (!delivered && handle != null) {
				handle.leave(false);
			}
		}

		private void releaseUndelivered(@Nullable Throwable failure) {
			HeldLock lock = this.undelivered.getAndSet(null);
			if (lock != null) {
				this.observed.abandoned((failure instanceof LockNotAcquiredException refusal) ? refusal.getReason()
						: Reason.INTERRUPTED);
				this.acquirer.shared.runtime().execute(() -> this.acquirer.handleReleases.leave(lock, false));
			}
		}

	}

}
