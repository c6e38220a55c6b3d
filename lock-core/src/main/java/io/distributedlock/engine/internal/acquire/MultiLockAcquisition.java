package io.distributedlock.engine.internal.acquire;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.handle.EngineHandle;
import io.distributedlock.engine.internal.handle.HandleReleases;
import io.distributedlock.engine.internal.handle.MultiHandle;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.Callbacks;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks for one call, one after the other. All calls use the same order,
 * so two calls never wait for each other. If one lock cannot be acquired, those before it
 * are released, and the call ends after that.
 */
final class MultiLockAcquisition {

	private final Acquirer acquirer;

	private final List<LockAttempt> attempts;

	/**
	 * Whether contention is an exception.
	 */
	private final boolean orThrow;

	private final long startNanos;

	/**
	 * The longest wait time and one command time-out, for all locks together.
	 */
	private final long giveUpAtNanos;

	private final List<EngineHandle> taken = new ArrayList<>();

	private final boolean forWork;

	/**
	 * Whether only a thread for the work is missing.
	 */
	private volatile boolean threadless;

	/**
	 * Completes when the step under way ends.
	 */
	private volatile CompletableFuture<?> current = CompletableFuture.completedFuture(null);

	/**
	 * Create an acquisition that has not begun.
	 * @param forWork as in {@link Acquirer#start}
	 */
	MultiLockAcquisition(Acquirer acquirer, List<LockAttempt> attempts, boolean orThrow, boolean forWork) {
		this.acquirer = acquirer;
		this.attempts = attempts;
		this.orThrow = orThrow;
		this.forWork = forWork;
		this.startNanos = acquirer.shared().runtime().nanoTime();
		long longestWait = attempts.stream()
			.mapToLong((attempt) -> LockTimes.saturatedNanos(attempt.waitTime()))
			.max()
			.orElse(0);
		this.giveUpAtNanos = this.startNanos + longestWait + acquirer.shared().providerCalls().commandTimeoutNanos();
	}

	/**
	 * Acquire the locks on this thread.
	 * @return the handle of all of them, {@code null} if others hold one
	 */
	@Nullable EngineHandle await() {
		EngineHandle all = null;
		try {
			for (LockAttempt attempt : this.attempts) {
				EngineHandle next = this.acquirer.await(attempt, waitedNanos(), this.orThrow,
						this.giveUpAtNanos - this.acquirer.shared().runtime().nanoTime());
				if (next == null) {
					return null;
				}
				this.taken.add(next);
			}
			all = all();
			return all;
		}
		finally {
			if (all == null) {
				this.acquirer.handleReleases().awaitUninterruptibly(releaseTaken());
			}
		}
	}

	/**
	 * Acquire the locks without blocking this thread. Each step knows which locks the
	 * caller holds, on whatever thread it runs.
	 * @param result completes with the result; if the user completes or cancels it, the
	 * acquisition ends
	 * @param toResult makes the result from the handle, or from nothing if others hold a
	 * lock
	 */
	<R> void start(CompletableFuture<R> result, Function<Optional<EngineHandle>, R> toResult) {
		Timers.Timer limit = this.acquirer.callBackAt(this.giveUpAtNanos, this.acquirer.callbacks().capture(),
				() -> giveUp(result));
		result.whenComplete((ignored, failure) -> {
			limit.cancel();
			this.current.cancel(false);
		});
		takeNext(LockContext.capture(), result, toResult);
	}

	/**
	 * End the step under way before the caller is told: what the caller does then may
	 * take long, and meanwhile nothing may be asked of a backend for it.
	 */
	private void giveUp(CompletableFuture<?> result) {
		CompletableFuture<?> pending = this.current;
		LockAttempt asked = this.attempts.get(Math.min(this.taken.size(), this.attempts.size() - 1));
		LockException failure = this.acquirer.outOfTime(asked,
				this.threadless ? LockErrors.notAcquired(asked, Reason.NO_THREAD)
						: LockErrors.unavailable(asked, this.acquirer.shared().providerCalls().noAnswer()));
		if (!pending.completeExceptionally(failure)) {
			result.completeExceptionally(failure);
		}
	}

	/**
	 * Take the next lock. When it is there, this is called again, until all are; when it
	 * is not, those before it are released, and then the result completes.
	 */
	private <R> void takeNext(LockContext caller, CompletableFuture<R> result,
			Function<Optional<EngineHandle>, R> toResult) {
		if (this.taken.size() == this.attempts.size()) {
			deliver(result, toResult);
			return;
		}
		if (result.isDone()) {
			releaseTaken();
			return;
		}
		LockAttempt attempt = this.attempts.get(this.taken.size());
		CompletableFuture<Optional<EngineHandle>> next = new CompletableFuture<>();
		next.whenComplete((handle, failure) -> {
			if (failure != null) {
				afterReleaseOfTaken(() -> result.completeExceptionally(Failures.unwrap(failure)));
			}
			else if (handle.isEmpty()) {
				afterReleaseOfTaken(() -> result.complete(toResult.apply(handle)));
			}
			else {
				this.taken.add(handle.get());
				takeNext(caller, result, toResult);
			}
		});
		this.current = next;
		try {
			caller
				.wrap(() -> this.acquirer.start(attempt, waitedNanos(), this.orThrow, (handle) -> handle, next,
						threads()))
				.run();
		}
		catch (Throwable ex) {
			// refused because of what the caller holds; later steps run on other threads,
			// where nobody would catch this
			next.completeExceptionally(ex);
		}
		if (result.isDone()) {
			next.cancel(false);
		}
	}

	/**
	 * Return what runs the next step: only after the last lock comes code of the user, so
	 * the steps before that do not wait for an executor that is busy.
	 */
	private BiConsumer<Callbacks.ForCaller, Runnable> threads() {
		if (this.taken.size() < this.attempts.size() - 1) {
			return Callbacks.ForCaller::runNow;
		}
		return this.forWork ? (caller, work) -> caller.run(work, () -> this.threadless = true)
				: Callbacks.ForCaller::run;
	}

	private <R> void deliver(CompletableFuture<R> result, Function<Optional<EngineHandle>, R> toResult) {
		try {
			if (!result.complete(toResult.apply(Optional.of(all())))) {
				releaseTaken();
			}
		}
		catch (Throwable ex) {
			afterReleaseOfTaken(() -> result.completeExceptionally(ex));
		}
	}

	private EngineHandle all() {
		MultiHandle all = new MultiHandle(this.taken, this.acquirer.handleReleases());
		// one may have been lost while the call waited for the others
		all.ensureHeld();
		return all;
	}

	private long waitedNanos() {
		return this.acquirer.shared().runtime().nanoTime() - this.startNanos;
	}

	private void afterReleaseOfTaken(Runnable end) {
		CompletableFuture<@Nullable Void> released = this.acquirer.handleReleases().forUser(releaseTaken());
		// whoever gives up does not wait for it
		this.current = released;
		released.whenComplete((done, never) -> end.run());
	}

	/**
	 * Release the locks before the one that was not acquired. As after a close, what the
	 * caller does next must not meet them.
	 * @return completes when they are released, or it is time to give up
	 */
	private CompletableFuture<@Nullable LockUnavailableException> releaseTaken() {
		HandleReleases releases = this.acquirer.handleReleases();
		CompletableFuture<@Nullable LockUnavailableException> released = new MultiHandle(this.taken, releases)
			.leave(false);
		if (released.isDone() || releases.asyncRelease()) {
			return CompletableFuture.completedFuture(null);
		}
		Timers.Timer limit = this.acquirer.shared().timers().at(this.giveUpAtNanos, () -> released.complete(null));
		released.whenComplete((failure, never) -> limit.cancel());
		return released;
	}

}
