package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to several locks: one after the other, in the order that all calls keep,
 * so that two of them never wait for each other. If one is not to be had those before it
 * are given back, unused.
 */
final class AllOrNone {

	private final Acquirer acquirer;

	private final List<LockAttempt> attempts;

	/**
	 * Whether contention is an exception.
	 */
	private final boolean mustHave;

	private final long startNanos = System.nanoTime();

	private final List<Holding> taken = new ArrayList<>();

	private volatile @Nullable CompletableFuture<?> current;

	AllOrNone(Acquirer acquirer, List<LockAttempt> attempts, boolean mustHave) {
		this.acquirer = acquirer;
		this.attempts = attempts;
		this.mustHave = mustHave;
	}

	/**
	 * Take the locks one by one on this thread.
	 * @return all of them, {@code null} if others hold one
	 */
	@Nullable Holding await() {
		try {
			for (LockAttempt attempt : this.attempts) {
				Holding next = toHandle(attempt, this.acquirer.await(inTimeLeft(attempt)));
				if (next == null) {
					giveBack();
					return null;
				}
				this.taken.add(next);
			}
			return all();
		}
		catch (RuntimeException ex) {
			giveBack();
			throw ex;
		}
	}

	/**
	 * Take the locks without blocking this thread. What it holds is handed over from step
	 * to step.
	 * @param toResult makes the result from all of them, or from nothing if others hold
	 * one
	 */
	<R> CompletableFuture<R> start(Function<Optional<LockHandle>, R> toResult) {
		CompletableFuture<R> result = new CompletableFuture<>();
		takeNext(LockContext.capture(), result, toResult);
		result.whenComplete((ignored, failure) -> {
			CompletableFuture<?> pending = this.current;
			if (result.isCancelled() && pending != null) {
				pending.cancel(false);
			}
		});
		return result;
	}

	private <R> void takeNext(LockContext caller, CompletableFuture<R> result,
			Function<Optional<LockHandle>, R> toResult) {
		if (this.taken.size() == this.attempts.size()) {
			deliver(result, toResult);
			return;
		}
		LockAttempt attempt = this.attempts.get(this.taken.size());
		CompletableFuture<Optional<Holding>> next;
		try {
			next = caller.call(() -> this.acquirer.start(inTimeLeft(attempt),
					(outcome) -> Optional.ofNullable(toHandle(attempt, outcome))));
		}
		catch (RuntimeException ex) {
			// what the caller holds forbids it, which a later step finds on another
			// thread
			next = CompletableFuture.failedFuture(ex);
		}
		follow(next, caller, result, toResult);
	}

	private <R> void follow(CompletableFuture<Optional<Holding>> next, LockContext caller, CompletableFuture<R> result,
			Function<Optional<LockHandle>, R> toResult) {
		this.current = next;
		if (result.isCancelled()) {
			next.cancel(false);
		}
		next.whenComplete((handle, failure) -> {
			if (failure != null) {
				giveBack();
				result.completeExceptionally(LockErrors.unwrap(failure));
			}
			else if (handle.isEmpty()) {
				giveBack();
				result.complete(toResult.apply(Optional.empty()));
			}
			else {
				this.taken.add(handle.get());
				takeNext(caller, result, toResult);
			}
		});
	}

	private <R> void deliver(CompletableFuture<R> result, Function<Optional<LockHandle>, R> toResult) {
		try {
			if (!result.complete(toResult.apply(Optional.of(all())))) {
				giveBack();
			}
		}
		catch (RuntimeException ex) {
			giveBack();
			result.completeExceptionally(ex);
		}
	}

	private Holding all() {
		for (int i = 0; i < this.taken.size(); i++) {
			if (!this.taken.get(i).isValid()) {
				throw LockErrors.endedBeforeOthers(this.attempts.get(i));
			}
		}
		return new HandleSet(this.taken);
	}

	private @Nullable Holding toHandle(LockAttempt attempt, Outcome outcome) {
		return this.mustHave ? this.acquirer.required(attempt, outcome)
				: this.acquirer.unlessContended(attempt, outcome);
	}

	private LockAttempt inTimeLeft(LockAttempt attempt) {
		long left = LockTimes.saturatedNanos(attempt.waitTime()) - (System.nanoTime() - this.startNanos);
		return attempt.waitingFor(Duration.ofNanos(Math.max(left, 0)));
	}

	private void giveBack() {
		for (int i = this.taken.size() - 1; i >= 0; i--) {
			this.taken.get(i).discard();
		}
	}

}
