package io.distributedlock.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * How a caller comes by its locks: by re-entry, by waiting for an {@link Acquisition}, or
 * by a future that follows one. Bounds each by the wait time and one command time-out.
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

	CompletableFuture<LockHandle> acquireAsync(List<LockAttempt> attempts) {
		if (attempts.size() > 1) {
			return new AllOrNone(this, attempts, true).start(Optional::orElseThrow);
		}
		LockAttempt attempt = attempts.get(0);
		return start(attempt, (outcome) -> required(attempt, outcome));
	}

	CompletableFuture<Optional<LockHandle>> tryAcquireAsync(List<LockAttempt> attempts) {
		if (attempts.size() > 1) {
			return new AllOrNone(this, attempts, false).start((handle) -> handle);
		}
		LockAttempt attempt = attempts.get(0);
		return start(attempt, (outcome) -> Optional.ofNullable(unlessContended(attempt, outcome)));
	}

	/**
	 * Close the innermost handle of this thread that stands for these locks.
	 */
	boolean closeOnThread(List<LockAttempt> attempts) {
		Optional<LockHandle> found = LockContext.capture()
			.innermost((handle) -> handle.parts().size() == attempts.size() && lockOf(handle, attempts.get(0)) != null);
		found.ifPresent(LockHandle::close);
		return found.isPresent();
	}

	private @Nullable LockHandle tryAcquire(List<LockAttempt> attempts, boolean mustHave) {
		if (attempts.size() > 1) {
			Holding all = new AllOrNone(this, attempts, mustHave).await();
			return (all != null) ? attached(all) : null;
		}
		LockAttempt attempt = attempts.get(0);
		Outcome outcome = await(attempt);
		Holding handle = mustHave ? required(attempt, outcome) : unlessContended(attempt, outcome);
		return (handle != null) ? attached(handle) : null;
	}

	private static Holding attached(Holding handle) {
		LockContext.attach(handle);
		return handle;
	}

	Outcome await(LockAttempt attempt) {
		Outcome reentered = reenter(attempt, LockContext.capture());
		if (reentered != null) {
			return reentered;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		try {
			return acquisition.start().get(longestNanos(attempt), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			return acquisition.abandon(Outcome.UNANSWERED);
		}
		catch (InterruptedException ex) {
			Outcome outcome = acquisition.abandon(Outcome.INTERRUPTED);
			Thread.currentThread().interrupt();
			return outcome;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An acquisition ends with an outcome, not with an exception", ex);
		}
	}

	<R> CompletableFuture<R> start(LockAttempt attempt, Function<Outcome, R> toResult) {
		CompletableFuture<R> future = new CompletableFuture<>();
		Outcome reentered = reenter(attempt, LockContext.capture());
		if (reentered != null) {
			deliver(reentered, toResult, future);
			return future;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		CompletableFuture<Outcome> result = acquisition.start();
		if (!result.isDone()) {
			Future<?> limit = this.engine.schedule(() -> acquisition.abandon(Outcome.UNANSWERED),
					longestNanos(attempt));
			result.whenComplete((ignored, never) -> limit.cancel(false));
		}
		result.thenAccept((outcome) -> {
			try {
				this.engine.callbacks().execute(() -> deliver(outcome, toResult, future));
			}
			catch (RejectedExecutionException ex) {
				deliver(outcome, toResult, future);
			}
		});
		future.whenComplete((ignored, failure) -> {
			if (future.isCancelled()) {
				acquisition.abandon(Outcome.INTERRUPTED);
			}
		});
		return future;
	}

	Holding required(LockAttempt attempt, Outcome outcome) {
		Holding handle = unlessContended(attempt, outcome);
		if (handle == null) {
			throw (outcome.kind() == Outcome.Kind.CROWDED) ? LockErrors.crowded(attempt)
					: LockErrors.contended(attempt);
		}
		return handle;
	}

	@Nullable Holding unlessContended(LockAttempt attempt, Outcome outcome) {
		return switch (outcome.kind()) {
			case ACQUIRED -> new Handle(outcome.requiredLock(), this.exits);
			case CONTENDED, CROWDED -> null;
			case UNAVAILABLE -> throw LockErrors.unavailable(attempt, outcome.requiredFailure());
			case UNANSWERED -> throw LockErrors.unanswered(attempt, this.engine.commandTimeout());
			case INTERRUPTED -> throw LockErrors.interrupted(attempt);
			case CLOSED -> throw LockErrors.closed(attempt);
		};
	}

	private <R> void deliver(Outcome outcome, Function<Outcome, R> toResult, CompletableFuture<R> future) {
		try {
			if (!future.complete(toResult.apply(outcome)) && outcome.lock() != null) {
				this.exits.discard(outcome.lock());
			}
		}
		catch (LockException ex) {
			future.completeExceptionally(ex);
		}
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
		lock.ensureHeld();
		return lock.enter() ? Outcome.acquired(lock) : null;
	}

	private @Nullable HeldLock find(LockAttempt attempt, LockContext context) {
		LockHandle handle = context.innermost((each) -> lockOf(each, attempt) != null).orElse(null);
		return (handle != null) ? lockOf(handle, attempt) : null;
	}

	private @Nullable HeldLock lockOf(LockHandle handle, LockAttempt attempt) {
		return (handle instanceof Holding holding) ? holding.find(this.engine, attempt.provider(), attempt.key())
				: null;
	}

	private long longestNanos(LockAttempt attempt) {
		return LockTimes.saturatedNanos(attempt.waitTime()) + this.engine.commandTimeout().toNanos();
	}

}
