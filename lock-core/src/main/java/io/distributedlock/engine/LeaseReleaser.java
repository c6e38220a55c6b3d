package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives leases back, and tries again for as long as a command may take. After that the
 * lease ends by itself.
 */
final class LeaseReleaser {

	private static final Logger logger = LoggerFactory.getLogger(LeaseReleaser.class);

	/**
	 * Retries come after a sixteenth, an eighth and a quarter of the command time-out, so
	 * that the last one has as long again for its answer.
	 */
	private static final int RETRIES = 3;

	private static final int LAST_DELAY_SHIFT = 2;

	private final EngineRuntime runtime;

	private final Timers timers;

	private final Questions questions;

	private final LeaseKeeper keeper;

	private final ConcurrentHashMap<HeldLock, CompletableFuture<@Nullable Void>> pending = new ConcurrentHashMap<>();

	LeaseReleaser(EngineRuntime runtime, Timers timers, Questions questions, LeaseKeeper keeper) {
		this.runtime = runtime;
		this.timers = timers;
		this.questions = questions;
		this.keeper = keeper;
	}

	/**
	 * Give a lease back. The next one in the local queue is let through when the backend
	 * has answered, or has failed to.
	 * @param lock the lock to release
	 * @return completes when the lease is given back or was gone already; fails if the
	 * backend could not be told within the command time-out
	 */
	CompletableFuture<@Nullable Void> release(HeldLock lock) {
		return end(lock, () -> (lock.remainingHoldNanos() > 0) ? keepForMinimum(lock) : lock.lease().release());
	}

	/**
	 * As {@link #release}, for a lease under which nothing was done: it is not kept for a
	 * minimum time.
	 */
	CompletableFuture<@Nullable Void> discard(HeldLock lock) {
		return end(lock, () -> lock.lease().release());
	}

	/**
	 * Give a lease back that nobody ever held, as it came too late.
	 */
	void giveBackUnheld(LockAttempt attempt, Lease lease) {
		new Release(attempt, lease::release, false).send(0);
	}

	/**
	 * Return what is being given back, so that a template which closes can wait for it.
	 */
	List<CompletableFuture<@Nullable Void>> pending() {
		return List.copyOf(this.pending.values());
	}

	private CompletableFuture<@Nullable Void> end(HeldLock lock, Supplier<CompletionStage<Boolean>> request) {
		CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
		CompletableFuture<@Nullable Void> begun = lock.beginRelease(ended);
		if (begun != null) {
			return begun;
		}
		// before the keeper forgets it: a template that closes finds it in either place
		this.pending.put(lock, ended);
		boolean wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		Release release = new Release(lock.attempt(), request, wasHeld);
		// the next caller's turn comes after this step: whoever waits for it must not
		// wait
		// for that
		release.done.whenComplete((done, failure) -> Trampoline.run(() -> {
			this.pending.remove(lock);
			Guard.run("letting the next caller in", lock::leaveGate);
			if (failure != null) {
				ended.completeExceptionally(failure);
			}
			else {
				ended.complete(null);
			}
		}));
		release.send(0);
		return ended;
	}

	/**
	 * The rest of the minimum time is left to run out: also if this JVM ends before. A
	 * backend whose leases cannot be made shorter is told at the end of it. No renewal
	 * may come after it, so the answer to the last one is waited for.
	 */
	private CompletionStage<Boolean> keepForMinimum(HeldLock lock) {
		return lock.lastRequest().handle((ignored, failure) -> lock).thenCompose(this::shorten).thenApply((term) -> {
			if (term != null && !lock.provider().capabilities().contains(LockCapability.EXACT_EXPIRY)) {
				releaseLater(lock);
			}
			return term != null;
		});
	}

	private CompletionStage<@Nullable LeaseTerm> shorten(HeldLock lock) {
		Duration rest = LockTimes.wholeMillis(Duration.ofNanos(Math.max(lock.remainingHoldNanos(), 1)));
		Duration shortest = lock.provider().leaseLimits().shortest();
		return lock.lease().renew((rest.compareTo(shortest) < 0) ? shortest : rest);
	}

	private void releaseLater(HeldLock lock) {
		this.timers.stepAt(this.runtime.nanoTime() + lock.remainingHoldNanos(), () -> {
			// a template that closes runs its timers early: then the lease ends by itself
			if (lock.remainingHoldNanos() <= 0) {
				giveBackUnheld(lock.attempt(), lock.lease());
			}
		});
	}

	/**
	 * One release with its retries.
	 */
	private final class Release {

		private final LockAttempt attempt;

		private final Supplier<CompletionStage<Boolean>> request;

		private final boolean wasHeld;

		private final CompletableFuture<@Nullable Void> done = LeaseReleaser.this.questions.expect();

		private Release(LockAttempt attempt, Supplier<CompletionStage<Boolean>> request, boolean wasHeld) {
			this.attempt = attempt;
			this.request = request;
			this.wasHeld = wasHeld;
		}

		private void send(int retry) {
			CompletableFuture<Boolean> answer = new CompletableFuture<>();
			answer.whenComplete((stillOwned, failure) -> onAnswer(stillOwned, failure, retry));
			LeaseReleaser.this.questions.follow(answer, this.request, (late) -> {
			});
		}

		private void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure, int retry) {
			if (failure == null) {
				// a retry finds nothing where only the answer to its forerunner was lost
				if (!Boolean.TRUE.equals(stillOwned) && this.wasHeld && retry == 0) {
					logger.warn(
							"Lock '{}' of provider {} was no longer held when it was given back: its lease ended before, and another owner may have held it meanwhile. Only if the client lost its connection at this moment it may be the answer that was lost.",
							this.attempt.key(), this.attempt.provider().name());
				}
				this.done.complete(null);
			}
			else if (retry == RETRIES) {
				this.done.completeExceptionally(failure);
			}
			// also when nobody waits any more: what is left would keep others out
			else {
				long delay = LeaseReleaser.this.questions
					.commandTimeoutNanos() >> (LAST_DELAY_SHIFT + RETRIES - 1 - retry);
				LeaseReleaser.this.timers.stepAt(LeaseReleaser.this.runtime.nanoTime() + delay, () -> send(retry + 1));
			}
		}

	}

}
