package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Releases leases. A release that fails is tried again three times, even if the caller
 * has stopped waiting: the lease would keep others out. After that the lease expires by
 * itself.
 * <p>
 * Why: docs/decisions/012-minimum-hold-and-lock-delay.md
 */
final class LeaseReleaser {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(LeaseReleaser.class));

	/**
	 * The pauses before the retries are a sixteenth, an eighth and a quarter of the
	 * command time-out. Together they take less than half of it, so the last retry has
	 * more than half of it for its answer.
	 */
	private static final int RETRIES = 3;

	private static final int LAST_PAUSE_SHIFT = 2;

	private final EngineRuntime runtime;

	private final Timers timers;

	private final Questions questions;

	private final LeaseKeeper keeper;

	private final Listeners listeners;

	private final HandOver handOver;

	private final ConcurrentHashMap<HeldLock, CompletableFuture<@Nullable Void>> pending = new ConcurrentHashMap<>();

	LeaseReleaser(EngineRuntime runtime, Timers timers, Questions questions, LeaseKeeper keeper, Listeners listeners,
			HandOver handOver) {
		this.runtime = runtime;
		this.timers = timers;
		this.questions = questions;
		this.keeper = keeper;
		this.listeners = listeners;
		this.handOver = handOver;
	}

	/**
	 * Pass a lock on to the next caller of this JVM, or release its lease. If its minimum
	 * hold time is not over, let the lease expire at the end of that. The local gate
	 * opens when the backend has answered, or has failed to.
	 * @param lock the lock to release
	 * @return completes when the lock is passed on, or its lease is released or was gone
	 * already; fails if the release failed within the command time-out
	 */
	CompletableFuture<@Nullable Void> releaseAfterMinimum(HeldLock lock) {
		return end(lock, () -> (lock.remainingMinimumNanos() > 0) ? keepForMinimum(lock) : lock.lease().release());
	}

	/**
	 * As {@link #releaseAfterMinimum}, without a minimum hold time: nothing was done
	 * under the lock.
	 */
	CompletableFuture<@Nullable Void> releaseNow(HeldLock lock) {
		return end(lock, () -> lock.lease().release());
	}

	/**
	 * Release a lease for which nobody waits any more, so nobody waits for the release
	 * either.
	 */
	void releaseInBackground(LockAttempt attempt, Lease lease) {
		new Release(attempt, lease::release, lease::release, false, Ending.UNHEARD).send(0);
	}

	/**
	 * Return the releases under way, so that a template which closes can wait for them.
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
		// before the keeper forgets the lock: a template that closes looks in both
		this.pending.put(lock, ended);
		boolean wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		if (wasHeld && this.handOver.pass(lock, () -> this.listeners.passedOn(lock))) {
			this.pending.remove(lock);
			ended.complete(null);
			return ended;
		}
		Contender next = wasHeld ? HandOver.exchanging(lock) : null;
		Supplier<CompletionStage<Boolean>> first = (next != null) ? () -> next.exchange(lock) : request;
		// the next call's turn begins after this step: who waits for this release must
		// not wait for what that call does
		new Release(lock.attempt(), first, request, wasHeld,
				(failure, tookNanos) -> Trampoline.run(() -> letNextIn(lock, wasHeld, ended, failure, tookNanos)))
			.sendWithLimit();
		return ended;
	}

	private void letNextIn(HeldLock lock, boolean wasHeld, CompletableFuture<@Nullable Void> ended,
			@Nullable Throwable failure, long tookNanos) {
		this.pending.remove(lock);
		Guard.run("letting the next caller in", lock::leaveGate);
		if (failure != null) {
			ended.completeExceptionally(failure);
			if (wasHeld) {
				this.listeners.releaseFailed(lock, Failures.unwrap(failure));
			}
		}
		else {
			ended.complete(null);
			if (wasHeld) {
				this.listeners.released(lock, tookNanos);
			}
		}
	}

	/**
	 * Shorten the lease to the rest of the minimum hold time. So the key is kept for that
	 * long even if this JVM ends before. On a backend that cannot shorten a lease, the
	 * lease is released at the end of the minimum. The answer to the last renewal is
	 * awaited first, as a renewal that the backend carries out later would make the lease
	 * longer again.
	 */
	private CompletionStage<Boolean> keepForMinimum(HeldLock lock) {
		return lock.requests()
			.last()
			.handle((ignored, failure) -> lock)
			.thenCompose(this::shorten)
			.thenApply((term) -> {
				if (term != null && !lock.provider().capabilities().contains(LockCapability.EXACT_EXPIRY)) {
					releaseLater(lock);
				}
				return term != null;
			});
	}

	private CompletionStage<@Nullable LeaseTerm> shorten(HeldLock lock) {
		Duration rest = LockTimes.wholeMillis(Duration.ofNanos(Math.max(lock.remainingMinimumNanos(), 1)));
		Duration shortest = lock.provider().leaseLimits().shortest();
		return lock.lease().renew((rest.compareTo(shortest) < 0) ? shortest : rest);
	}

	private void releaseLater(HeldLock lock) {
		this.timers.stepAt(this.runtime.nanoTime() + lock.remainingMinimumNanos(), () -> {
			// a template that closes runs its timers early: then the lease expires by
			// itself
			if (lock.remainingMinimumNanos() <= 0) {
				releaseInBackground(lock.attempt(), lock.lease());
			}
		});
	}

	/**
	 * One release with its retries.
	 */
	private final class Release implements Runnable {

		private final LockAttempt attempt;

		private final Supplier<CompletionStage<Boolean>> first;

		private final Supplier<CompletionStage<Boolean>> again;

		private final boolean wasHeld;

		private final Ending ending;

		private final AtomicBoolean over = new AtomicBoolean();

		private volatile Timers.@Nullable Timer limit;

		private volatile long sentNanos;

		/**
		 * Create a release.
		 * @param first the first try
		 * @param again each further try
		 */
		private Release(LockAttempt attempt, Supplier<CompletionStage<Boolean>> first,
				Supplier<CompletionStage<Boolean>> again, boolean wasHeld, Ending ending) {
			this.attempt = attempt;
			this.first = first;
			this.again = again;
			this.wasHeld = wasHeld;
			this.ending = ending;
		}

		/**
		 * Send it for somebody who waits for at most the command time-out.
		 */
		private void sendWithLimit() {
			try {
				this.limit = LeaseReleaser.this.questions.limit(this);
			}
			catch (Throwable ex) {
				// without a limit nobody may wait for it
				end(ex);
			}
			send(0);
		}

		/**
		 * The command time-out is over.
		 */
		@Override
		public void run() {
			end(LeaseReleaser.this.questions.noAnswer());
		}

		private void end(@Nullable Throwable failure) {
			if (!this.over.compareAndSet(false, true)) {
				return;
			}
			Timers.Timer timer = this.limit;
			if (timer != null) {
				timer.cancel();
			}
			this.ending.ended(failure, LeaseReleaser.this.runtime.nanoTime() - this.sentNanos);
		}

		private void send(int retry) {
			this.sentNanos = LeaseReleaser.this.runtime.nanoTime();
			LeaseReleaser.this.questions.hear((retry == 0) ? this.first : this.again,
					(stillOwned, failure) -> onAnswer(stillOwned, failure, retry));
		}

		private void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure, int retry) {
			if (failure == null) {
				// a retry finds nothing if only the answer to the try before it was lost
				if (!Boolean.TRUE.equals(stillOwned) && this.wasHeld && retry == 0) {
					warnings.warn(
							"Lock '{}' of provider {} was no longer held when it was released: its lease had ended, and another owner may have held the lock meanwhile. If the client lost its connection just now, the lock may have been held, and only the answer was lost.",
							this.attempt.key(), this.attempt.provider().name());
				}
				end(null);
			}
			else if (retry == RETRIES) {
				end(failure);
			}
			// even if nobody waits any more: the lease would keep others out
			else {
				long delay = LeaseReleaser.this.questions
					.commandTimeoutNanos() >> (LAST_PAUSE_SHIFT + RETRIES - 1 - retry);
				LeaseReleaser.this.timers.stepAt(LeaseReleaser.this.runtime.nanoTime() + delay, () -> send(retry + 1));
			}
		}

	}

	/**
	 * Hears that a release has ended, once.
	 */
	@FunctionalInterface
	private interface Ending {

		/**
		 * Nobody waits for the release.
		 */
		Ending UNHEARD = (failure, tookNanos) -> {
		};

		/**
		 * The release has ended.
		 * @param failure why it failed, {@code null} if it did not
		 * @param tookNanos how long the backend took for the answer to the last try
		 */
		void ended(@Nullable Throwable failure, long tookNanos);

	}

}
