package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to several locks: one after the other, in the order that all calls keep,
 * so that two of them never wait for each other. If one cannot be acquired those before
 * it are given back, unused.
 */
final class AllOrNone {

	private final Acquirer acquirer;

	private final List<LockAttempt> attempts;

	/**
	 * Whether contention is an exception.
	 */
	private final boolean mustHave;

	private final long waitUntilNanos;

	/**
	 * The wait time and one command time-out, for all locks together.
	 */
	private final long giveUpAtNanos;

	private final List<Holding> taken = new ArrayList<>();

	private volatile @Nullable CompletableFuture<?> current;

	AllOrNone(Acquirer acquirer, List<LockAttempt> attempts, boolean mustHave) {
		this.acquirer = acquirer;
		this.attempts = attempts;
		this.mustHave = mustHave;
		// one request, and so one wait time
		this.waitUntilNanos = acquirer.engine().nanoTime() + LockTimes.saturatedNanos(attempts.get(0).waitTime());
		this.giveUpAtNanos = this.waitUntilNanos + acquirer.engine().questions().commandTimeoutNanos();
	}

	/**
	 * Take the locks one by one on this thread.
	 * @return all of them, {@code null} if others hold one
	 */
	@Nullable Holding await() {
		try {
			for (LockAttempt attempt : this.attempts) {
				Holding next = this.acquirer.toHandle(attempt, this.acquirer.await(inTimeLeft(attempt),
						this.giveUpAtNanos - this.acquirer.engine().nanoTime()), this.mustHave);
				if (next == null) {
					giveBack();
					return null;
				}
				this.taken.add(next);
			}
			return all();
		}
		catch (Throwable ex) {
			giveBack();
			throw ex;
		}
	}

	/**
	 * Take the locks without blocking this thread. What it holds is handed over from step
	 * to step.
	 * @param result what to complete; what else completes it ends the wait
	 * @param toResult makes the result from all of them, or from nothing if others hold
	 * one
	 */
	<R> void start(CompletableFuture<R> result, Function<Optional<LockHandle>, R> toResult) {
		Engine engine = this.acquirer.engine();
		Timers.Timer limit = engine.timers()
			.at(this.giveUpAtNanos, () -> engine.runtime().callBack(() -> giveUp(result, outOfTime(engine))));
		result.whenComplete((ignored, failure) -> {
			limit.cancel();
			cancelCurrent();
		});
		takeNext(LockContext.capture(), result, toResult);
	}

	/**
	 * A template that closes runs its timers early.
	 */
	private LockException outOfTime(Engine engine) {
		LockAttempt first = this.attempts.get(0);
		return engine.waiting().isClosed() ? LockErrors.closed(first)
				: LockErrors.unanswered(first, engine.commandTimeout());
	}

	/**
	 * The step under way ends before its caller is told: what the caller does then may
	 * take its time, and nothing may be asked for it meanwhile.
	 */
	private void giveUp(CompletableFuture<?> result, LockException failure) {
		CompletableFuture<?> pending = this.current;
		if (pending == null || !pending.completeExceptionally(failure)) {
			result.completeExceptionally(failure);
		}
	}

	private void cancelCurrent() {
		CompletableFuture<?> pending = this.current;
		if (pending != null) {
			pending.cancel(false);
		}
	}

	private <R> void takeNext(LockContext caller, CompletableFuture<R> result,
			Function<Optional<LockHandle>, R> toResult) {
		if (this.taken.size() == this.attempts.size()) {
			deliver(result, toResult);
			return;
		}
		if (result.isDone()) {
			giveBack();
			return;
		}
		LockAttempt attempt = this.attempts.get(this.taken.size());
		CompletableFuture<Optional<Holding>> next = new CompletableFuture<>();
		next.whenComplete((handle, failure) -> {
			if (failure != null) {
				giveBack();
				result.completeExceptionally(LockErrors.unwrap(failure));
			}
			else {
				onNext(handle, caller, result, toResult);
			}
		});
		this.current = next;
		try {
			caller.call(() -> {
				this.acquirer.start(inTimeLeft(attempt), this.mustHave, (handle) -> handle, next);
				return attempt;
			});
		}
		catch (Throwable ex) {
			// what the caller holds forbids it, which a later step finds on another
			// thread
			next.completeExceptionally(ex);
		}
		if (result.isDone()) {
			cancelCurrent();
		}
	}

	private <R> void onNext(Optional<Holding> handle, LockContext caller, CompletableFuture<R> result,
			Function<Optional<LockHandle>, R> toResult) {
		if (handle.isEmpty()) {
			giveBack();
			result.complete(toResult.apply(Optional.empty()));
		}
		else {
			this.taken.add(handle.get());
			takeNext(caller, result, toResult);
		}
	}

	private <R> void deliver(CompletableFuture<R> result, Function<Optional<LockHandle>, R> toResult) {
		try {
			if (!result.complete(toResult.apply(Optional.of(all())))) {
				giveBack();
			}
		}
		catch (Throwable ex) {
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
		return this.acquirer.together(this.taken);
	}

	private LockAttempt inTimeLeft(LockAttempt attempt) {
		long left = this.waitUntilNanos - this.acquirer.engine().nanoTime();
		return attempt.waitingFor(Duration.ofNanos(Math.max(left, 0)));
	}

	private void giveBack() {
		for (int i = this.taken.size() - 1; i >= 0; i--) {
			this.taken.get(i).discard();
		}
	}

}
