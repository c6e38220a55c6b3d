package io.distributedlock.engine;

import java.lang.ref.Reference;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * How a caller comes by its locks: by re-entry, by waiting for an {@link Acquisition}, or
 * by a future that follows one.
 */
final class Acquirer {

	private final Engine engine;

	private final Exits exits;

	Acquirer(Engine engine, Exits exits) {
		this.engine = engine;
		this.exits = exits;
	}

	LockHandle acquire(List<LockAttempt> attempts) {
		LockHandle handle = tryAcquire(attempts, true);
		if (handle == null) {
			throw new IllegalStateException("What is contended must end with an exception here");
		}
		return handle;
	}

	@Nullable LockHandle tryAcquire(List<LockAttempt> attempts) {
		return tryAcquire(attempts, false);
	}

	/**
	 * Acquire locks without blocking.
	 * @param future completes on a thread for code of the user; what else completes it
	 * ends the wait
	 */
	void acquire(List<LockAttempt> attempts, CompletableFuture<LockHandle> future) {
		if (attempts.size() > 1) {
			new AllOrNone(this, attempts, true).start(future, Optional::orElseThrow);
			return;
		}
		LockAttempt attempt = attempts.get(0);
		start(attempt, true, Optional::orElseThrow, future);
	}

	/**
	 * As {@link #acquire(List, CompletableFuture)}, with nothing if others hold a lock.
	 */
	void tryAcquire(List<LockAttempt> attempts, CompletableFuture<Optional<LockHandle>> future) {
		if (attempts.size() > 1) {
			new AllOrNone(this, attempts, false).start(future, (handle) -> handle);
			return;
		}
		LockAttempt attempt = attempts.get(0);
		start(attempt, false, (handle) -> handle.map(LockHandle.class::cast), future);
	}

	/**
	 * Close the innermost handle of this thread that stands for these locks.
	 */
	boolean closeOnThread(List<LockAttempt> attempts) {
		Optional<LockHandle> found = LockContext.capture().innermost((handle) -> isFor(handle, attempts));
		found.ifPresent(LockHandle::close);
		return found.isPresent();
	}

	private boolean isFor(LockHandle handle, List<LockAttempt> attempts) {
		return handle instanceof Holding holding && holding.parts().size() == attempts.size()
				&& attempts.stream().allMatch((attempt) -> holding.isFor(attempt, this.engine));
	}

	private @Nullable LockHandle tryAcquire(List<LockAttempt> attempts, boolean mustHave) {
		StackReserve.require();
		if (attempts.size() > 1) {
			Holding all = new AllOrNone(this, attempts, mustHave).await();
			return (all != null) ? attached(all) : null;
		}
		LockAttempt attempt = attempts.get(0);
		Outcome outcome = await(attempt, longestNanos(attempt));
		Holding handle = toHandle(attempt, outcome, mustHave);
		return (handle != null) ? attached(handle) : null;
	}

	private static Holding attached(Holding handle) {
		LockContext.attach(handle);
		return handle;
	}

	/**
	 * Wait for one lock on this thread.
	 * @param timeoutNanos how long to wait for the outcome at most
	 */
	Outcome await(LockAttempt attempt, long timeoutNanos) {
		Outcome reentered = reenter(attempt, LockContext.capture());
		if (reentered != null) {
			return reentered;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		CompletableFuture<Outcome> result = acquisition.start();
		if (result.isDone()) {
			return result.join();
		}
		try {
			return this.engine.runtime().await(result, timeoutNanos);
		}
		catch (TimeoutException ex) {
			acquisition.end(Outcome.UNANSWERED);
		}
		catch (InterruptedException ex) {
			acquisition.end(Outcome.INTERRUPTED);
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An acquisition ends with an outcome, not with an exception", ex);
		}
		// whoever ended it first completes it without waiting for anything
		return result.join();
	}

	/**
	 * Follow the acquisition of one lock.
	 * @param mustHave whether contention is an exception
	 * @param toResult makes the result from the handle, or from nothing if others hold it
	 * @param future as in {@link #acquire(List, CompletableFuture)}
	 */
	<R> void start(LockAttempt attempt, boolean mustHave, Function<Optional<Holding>, R> toResult,
			CompletableFuture<R> future) {
		StackReserve.require();
		Delivery<R> delivery = new Delivery<>(attempt, mustHave, toResult, future);
		Outcome reentered = reenter(attempt, LockContext.capture());
		if (reentered != null) {
			delivery.send(reentered);
			return;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		// completed by somebody else: cancelled, or timed out
		future.whenComplete((ignored, failure) -> acquisition.end(Outcome.INTERRUPTED));
		acquisition.start().thenAccept(delivery::send);
	}

	/**
	 * Return the handle that an outcome brings, {@code null} if others hold the lock.
	 * @param mustHave whether that is an exception
	 */
	@Nullable Holding toHandle(LockAttempt attempt, Outcome outcome, boolean mustHave) {
		Holding handle = unlessContended(attempt, outcome);
		if (handle == null && mustHave) {
			throw (outcome.kind() == Outcome.Kind.CROWDED) ? LockErrors.crowded(attempt)
					: LockErrors.contended(attempt);
		}
		return handle;
	}

	private @Nullable Holding unlessContended(LockAttempt attempt, Outcome outcome) {
		return switch (outcome.kind()) {
			case ACQUIRED -> new Handle(attempt, outcome.requiredLock(), this.exits);
			case CONTENDED, CROWDED -> null;
			case UNAVAILABLE -> throw LockErrors.unavailable(attempt, outcome.requiredFailure());
			case UNANSWERED -> throw LockErrors.unanswered(attempt, this.engine.commandTimeout());
			case INTERRUPTED -> throw LockErrors.interrupted(attempt);
			case CLOSED -> throw LockErrors.closed(attempt);
		};
	}

	Engine engine() {
		return this.engine;
	}

	Holding together(List<Holding> taken) {
		return new HandleSet(taken, this.exits);
	}

	private @Nullable Outcome reenter(LockAttempt attempt, LockContext context) {
		if (this.engine.waiting().isClosed()) {
			return Outcome.CLOSED;
		}
		HeldLock lock = attempt.isReentrant() ? find(attempt, context) : null;
		if (lock == null) {
			return null;
		}
		if (!attempt.isCoveredBy(lock.attempt().type())) {
			throw LockErrors.upgrade(attempt);
		}
		return switch (lock.holders().enter(attempt.type())) {
			case ENTERED -> Outcome.acquired(lock);
			case ENDED -> null;
			case ONLY_READERS -> throw LockErrors.upgrade(attempt);
		};
	}

	private @Nullable HeldLock find(LockAttempt attempt, LockContext context) {
		LockHandle handle = context.innermost((each) -> lockOf(each, attempt) != null).orElse(null);
		return (handle != null) ? lockOf(handle, attempt) : null;
	}

	private @Nullable HeldLock lockOf(LockHandle handle, LockAttempt attempt) {
		return (handle instanceof Holding holding) ? holding.reentered(attempt, this.engine) : null;
	}

	/**
	 * An acquisition ends by itself within its wait time and one command time-out; this
	 * is for a JVM that has no thread for that.
	 */
	private long longestNanos(LockAttempt attempt) {
		long commandTimeout = this.engine.questions().commandTimeoutNanos();
		return LockTimes.saturatedNanos(attempt.waitTime()) + commandTimeout + commandTimeout / 8;
	}

	/**
	 * An outcome on its way to the caller, over an executor that may take its time or
	 * drop it. A lock is given back as soon as nobody wants it any more.
	 *
	 * @param <R> what the caller gets
	 */
	private final class Delivery<R> {

		private final LockAttempt attempt;

		private final boolean mustHave;

		private final Function<Optional<Holding>, R> toResult;

		private final CompletableFuture<R> future;

		/**
		 * Whoever takes the lock from here either hands it over or gives it back.
		 */
		private final AtomicReference<@Nullable HeldLock> undelivered = new AtomicReference<>();

		private Delivery(LockAttempt attempt, boolean mustHave, Function<Optional<Holding>, R> toResult,
				CompletableFuture<R> future) {
			this.attempt = attempt;
			this.mustHave = mustHave;
			this.toResult = toResult;
			this.future = future;
		}

		private void send(Outcome outcome) {
			HeldLock lock = outcome.lock();
			if (lock == null) {
				Acquirer.this.engine.runtime().callBack(() -> deliver(outcome));
				return;
			}
			this.undelivered.set(lock);
			// completed by somebody else: cancelled, or timed out
			this.future.whenComplete((ignored, failure) -> giveBack());
			// only the task refers to this: if it is dropped, the keeper lets go of the
			// lock
			Object hold = lock.hold();
			Acquirer.this.engine.runtime().callBack(() -> deliver(outcome, hold));
		}

		private void deliver(Outcome outcome, Object hold) {
			try {
				if (this.undelivered.getAndSet(null) != null) {
					deliver(outcome);
				}
			}
			finally {
				Reference.reachabilityFence(hold);
			}
		}

		private void deliver(Outcome outcome) {
			Holding handle = null;
			boolean delivered = false;
			try {
				handle = toHandle(this.attempt, outcome, this.mustHave);
				delivered = this.future.complete(this.toResult.apply(Optional.ofNullable(handle)));
			}
			catch (Throwable ex) {
				this.future.completeExceptionally(ex);
			}
			HeldLock lock = outcome.lock();
			if (!delivered && handle != null) {
				handle.discard();
			}
			else if (!delivered && lock != null) {
				Acquirer.this.exits.discard(lock, this.attempt.type());
			}
		}

		private void giveBack() {
			HeldLock lock = this.undelivered.getAndSet(null);
			if (lock != null) {
				Acquirer.this.engine.runtime().execute(() -> Acquirer.this.exits.discard(lock, this.attempt.type()));
			}
		}

	}

}
