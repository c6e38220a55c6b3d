package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.distributedlock.LockCapability;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.runtime.Bag;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.engine.internal.runtime.Trampoline;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Releases leases. A release that fails is tried again three times, even if the caller
 * has stopped waiting: the lease would keep others out. After that the lease expires by
 * itself.
 */
public final class LeaseReleaser {

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

	private final ProviderCalls providerCalls;

	private final LeaseKeeper keeper;

	private final Listeners listeners;

	private final HandOver handOver;

	private final Bag<ReleaseOfHold> pending = new Bag<>();

	public LeaseReleaser(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, LeaseKeeper keeper,
			Listeners listeners, HandOver handOver) {
		this.runtime = runtime;
		this.timers = timers;
		this.providerCalls = providerCalls;
		this.keeper = keeper;
		this.listeners = listeners;
		this.handOver = handOver;
	}

	/**
	 * Pass a lock on to the next caller of this JVM, or release its lease. If its minimum
	 * hold time is not over, let the lease expire at the end of that. The next call of
	 * this JVM asks when the backend has answered, or has failed to.
	 * @param lock the lock to release
	 * @return completes when the lock is passed on, or its lease is released or was gone
	 * already; fails if the release failed within the command time-out
	 */
	public CompletableFuture<@Nullable Void> releaseAfterMinimum(HeldLock lock) {
		return end(new ReleaseOfHold(lock, true));
	}

	/**
	 * As {@link #releaseAfterMinimum}, without a minimum hold time: nothing was done
	 * under the lock.
	 */
	public CompletableFuture<@Nullable Void> releaseNow(HeldLock lock) {
		return end(new ReleaseOfHold(lock, false));
	}

	/**
	 * Release a lease for which nobody waits any more, so nobody waits for the release
	 * either.
	 */
	public void releaseInBackground(Lease lease) {
		new ReleaseOfLease(lease).send(0);
	}

	/**
	 * Return the releases under way, so that a template which closes can wait for them.
	 */
	public List<CompletableFuture<@Nullable Void>> pending() {
		return this.pending.members().stream().map((release) -> release.ended).toList();
	}

	private CompletableFuture<@Nullable Void> end(ReleaseOfHold release) {
		HeldLock lock = release.lock;
		CompletableFuture<@Nullable Void> begun = lock.beginRelease(release.ended);
		if (begun != null) {
			return begun;
		}
		// before the keeper forgets the lock: a template that closes looks in both
		this.pending.add(release);
		release.wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		boolean awaited = release.wasHeld && lock.passage().isAwaited();
		if (awaited && this.handOver.pass(lock, () -> tellReleased(lock, null))) {
			this.pending.remove(release);
			release.ended.complete(null);
			return release.ended;
		}
		release.next = awaited ? HandOver.exchanging(lock) : null;
		release.sendWithLimit();
		return release.ended;
	}

	private void tellReleased(HeldLock lock, @Nullable Duration took) {
		this.listeners.tell(LockEvent.Released.class,
				(now) -> new LockEvent.Released(lock.attempt().info(), now, lock.heldFor(), took));
	}

	/**
	 * Shorten the lease to the rest of the minimum hold time. So the key is kept for that
	 * long even if this JVM ends before. On a backend that cannot make a lease that
	 * short, the lease is released at the end of the minimum. The answer to the last
	 * renewal is awaited first, as a renewal that the backend carries out later would
	 * make the lease longer again.
	 */
	private CompletionStage<Boolean> keepForMinimum(HeldLock lock) {
		return lock.requests().last().handle((ignored, failure) -> lock).thenCompose(this::shorten);
	}

	private CompletionStage<Boolean> shorten(HeldLock lock) {
		Duration rest = LockTimes.wholeMillis(Duration.ofNanos(Math.max(lock.remainingMinimumNanos(), 1)));
		Duration shortest = lock.provider().leaseLimits().shortest();
		boolean tooShort = rest.compareTo(shortest) < 0;
		return lock.lease().renew(tooShort ? shortest : rest).thenApply((term) -> {
			if (term != null && (tooShort || !lock.provider().capabilities().contains(LockCapability.EXACT_EXPIRY))) {
				releaseLater(lock);
			}
			return term != null;
		});
	}

	private void releaseLater(HeldLock lock) {
		this.timers.stepAt(this.runtime.nanoTime() + lock.remainingMinimumNanos(), () -> {
			// a template that closes runs its timers early: then the lease expires by
			// itself
			if (lock.remainingMinimumNanos() <= 0) {
				releaseInBackground(lock.lease());
			}
		});
	}

	/**
	 * One release with its retries.
	 */
	private abstract class Release extends Bag.Member implements Runnable {

		private static final AtomicIntegerFieldUpdater<Release> OVER = AtomicIntegerFieldUpdater
			.newUpdater(Release.class, "over");

		@SuppressWarnings("UnusedVariable")
		private volatile int over;

		private volatile Timers.Timer limit = Timers.Timer.NONE;

		private volatile long sentNanos;

		/**
		 * Call the provider.
		 * @param retry how many tries were made before
		 */
		abstract CompletionStage<Boolean> request(int retry);

		/**
		 * Note that the backend did not find the lease.
		 */
		abstract void notFound();

		/**
		 * The release has ended. Called once.
		 * @param failure why it failed, {@code null} if it did not
		 * @param tookNanos how long the backend took for the answer to the last try
		 */
		abstract void ended(@Nullable Throwable failure, long tookNanos);

		/**
		 * Send it for somebody who waits for at most the command time-out.
		 */
		void sendWithLimit() {
			try {
				this.limit = LeaseReleaser.this.providerCalls.limit(this);
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
			end(LeaseReleaser.this.providerCalls.noAnswer());
		}

		private void end(@Nullable Throwable failure) {
			if (!OVER.compareAndSet(this, 0, 1)) {
				return;
			}
			this.limit.cancel();
			ended(failure, LeaseReleaser.this.runtime.nanoTime() - this.sentNanos);
		}

		void send(int retry) {
			this.sentNanos = LeaseReleaser.this.runtime.nanoTime();
			LeaseReleaser.this.providerCalls.hear(() -> request(retry),
					(stillOwned, failure) -> onAnswer(stillOwned, failure, retry));
		}

		private void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure, int retry) {
			if (failure == null) {
				// a retry finds nothing if only the answer to the try before it was lost
				if (!Boolean.TRUE.equals(stillOwned) && retry == 0) {
					notFound();
				}
				end(null);
			}
			else if (retry == RETRIES) {
				end(failure);
			}
			// even if nobody waits any more: the lease would keep others out
			else {
				long delay = LeaseReleaser.this.providerCalls
					.commandTimeoutNanos() >> (LAST_PAUSE_SHIFT + RETRIES - 1 - retry);
				LeaseReleaser.this.timers.stepAt(LeaseReleaser.this.runtime.nanoTime() + delay, () -> send(retry + 1));
			}
		}

	}

	/**
	 * The release of a lock that somebody had. It is pending until the lease is released
	 * or the command time-out is over.
	 */
	private final class ReleaseOfHold extends Release {

		private final HeldLock lock;

		private final boolean afterMinimum;

		private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

		/**
		 * Set before it is sent.
		 */
		private boolean wasHeld;

		/**
		 * The call that takes its place at the backend in the same step. Set before it is
		 * sent.
		 */
		private @Nullable Successor next;

		private ReleaseOfHold(HeldLock lock, boolean afterMinimum) {
			this.lock = lock;
			this.afterMinimum = afterMinimum;
		}

		@Override
		CompletionStage<Boolean> request(int retry) {
			Successor successor = this.next;
			if (successor != null && retry == 0) {
				return successor.exchange(this.lock);
			}
			return (this.afterMinimum && this.lock.remainingMinimumNanos() > 0) ? keepForMinimum(this.lock)
					: this.lock.lease().release();
		}

		@Override
		void notFound() {
			if (this.wasHeld) {
				warnings.warn(
						"Lock '{}' of provider {} was no longer held when it was released: its lease had ended, and another owner may have held the lock meanwhile. If the client lost its connection just now, the lock may have been held, and only the answer was lost.",
						this.lock.key(), this.lock.provider().name());
			}
		}

		@Override
		void ended(@Nullable Throwable failure, long tookNanos) {
			// the next call's turn begins after this step: who waits for this release
			// must not wait for what that call does
			Trampoline.runNow(() -> letNextIn(failure, tookNanos));
		}

		private void letNextIn(@Nullable Throwable failure, long tookNanos) {
			LeaseReleaser.this.pending.remove(this);
			// its time is before those of what the caller or the next call does
			Guard.run("telling of a release", () -> tell(failure, tookNanos));
			Guard.run("letting the next caller in", this.lock::leaveKey);
			Failures.settle(this.ended, null, failure);
		}

		private void tell(@Nullable Throwable failure, long tookNanos) {
			if (!this.wasHeld) {
				return;
			}
			if (failure == null) {
				tellReleased(this.lock, Duration.ofNanos(tookNanos));
			}
			else {
				LeaseReleaser.this.listeners.tell(LockEvent.ReleaseFailed.class,
						(now) -> new LockEvent.ReleaseFailed(this.lock.attempt().info(), now, this.lock.heldFor(),
								Failures.unwrap(failure)));
			}
		}

	}

	/**
	 * The release of a lease that nobody had.
	 */
	private final class ReleaseOfLease extends Release {

		private final Lease lease;

		private ReleaseOfLease(Lease lease) {
			this.lease = lease;
		}

		@Override
		CompletionStage<Boolean> request(int retry) {
			return this.lease.release();
		}

		@Override
		void notFound() {
			// it may have ended before its grant was heard of
		}

		@Override
		void ended(@Nullable Throwable failure, long tookNanos) {
			// nobody waits for it
		}

	}

}
