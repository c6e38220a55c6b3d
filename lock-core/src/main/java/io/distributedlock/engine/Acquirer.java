package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.distributedlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * How a caller comes by a lock: by re-entry, by waiting for an {@link Acquisition}, or by
 * a future that follows one. Bounds each by the wait time and one command time-out.
 */
final class Acquirer {

	private final Engine engine;

	private final ThreadHolds threadHolds;

	private final Exits exits;

	private final Duration commandTimeout;

	Acquirer(Engine engine, ThreadHolds threadHolds, Exits exits, Duration commandTimeout) {
		this.engine = engine;
		this.threadHolds = threadHolds;
		this.exits = exits;
		this.commandTimeout = commandTimeout;
	}

	Outcome await(LockAttempt attempt) {
		Outcome reentered = reenter(attempt);
		if (reentered != null) {
			return reentered;
		}
		Acquisition acquisition = new Acquisition(attempt, this.engine);
		Outcome outcome;
		try {
			outcome = acquisition.start().get(longestNanos(attempt), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			outcome = acquisition.abandon(Outcome.UNANSWERED);
		}
		catch (InterruptedException ex) {
			outcome = acquisition.abandon(Outcome.INTERRUPTED);
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An acquisition ends with an outcome, not with an exception", ex);
		}
		if (outcome.lock() != null) {
			this.threadHolds.push(outcome.lock());
		}
		return outcome;
	}

	<R> CompletableFuture<R> start(LockAttempt attempt, Function<Outcome, R> toResult) {
		CompletableFuture<R> future = new CompletableFuture<>();
		Outcome reentered = reenter(attempt);
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

	private <R> void deliver(Outcome outcome, Function<Outcome, R> toResult, CompletableFuture<R> future) {
		try {
			if (!future.complete(toResult.apply(outcome)) && outcome.lock() != null) {
				this.exits.exitAsync(outcome.lock());
			}
		}
		catch (LockException ex) {
			future.completeExceptionally(ex);
		}
	}

	private @Nullable Outcome reenter(LockAttempt attempt) {
		if (this.engine.waiting().isClosed()) {
			return Outcome.CLOSED;
		}
		HeldLock lock = this.threadHolds.find(attempt.provider(), attempt.key());
		if (lock == null) {
			return null;
		}
		if (!attempt.isCoveredBy(lock.attempt().type())) {
			throw LockErrors.upgrade(attempt);
		}
		lock.ensureHeld();
		return lock.enter() ? Outcome.acquired(lock) : null;
	}

	private long longestNanos(LockAttempt attempt) {
		return LockTimes.saturatedNanos(attempt.waitTime()) + this.commandTimeout.toNanos();
	}

}
