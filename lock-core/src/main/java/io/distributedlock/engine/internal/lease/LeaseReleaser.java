package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

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
 * Releases leases. A release that fails is tried again, even if the caller has stopped
 * waiting: the lease would keep others out. If no try succeeds, the lease expires by
 * itself.
 */
public final class LeaseReleaser {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(LeaseReleaser.class));

	/**
	 * After how many retries a release counts as failed. The pauses before them are a
	 * sixteenth, an eighth and a quarter of the command time-out. Together they take less
	 * than half of it, so the last one has more than half of it for its answer.
	 */
	private static final int RETRIES_IN_TIME = 3;

	/**
	 * Each further pause is twice as long, too: the last ones are for the end of an
	 * outage that lasts up to 30 command time-outs.
	 */
	private static final int RETRIES = 9;

	private static final int FIRST_PAUSE_SHIFT = 4;

	private final EngineRuntime runtime;

	private final Timers timers;

	private final ProviderCalls providerCalls;

	private final LeaseKeeper keeper;

	private final Listeners listeners;

	private final HandOver handOver;

	/**
	 * Those that are under way, or will be tried again.
	 */
	private final Bag<Release> pending = new Bag<>();

	/**
	 * How often a release is tried again.
	 */
	private volatile int retries = RETRIES;

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
	 * @param used {@code false} if nothing was done under it: there is no minimum then
	 * @return completes when the lock is passed on, or its lease is released or was gone
	 * already; fails if the release failed within the command time-out
	 */
	public CompletableFuture<@Nullable Void> release(HeldLock lock, boolean used) {
		ReleaseOfHold release = new ReleaseOfHold(lock, used);
		CompletableFuture<@Nullable Void> begun = lock.beginRelease(release.ended);
		if (begun != null) {
			return begun;
		}
		// before the keeper forgets the lock: a template that closes looks in both
		this.pending.add(release);
		release.wasHeld = lock.markReleased();
		this.keeper.forget(lock);
		if (release.wasHeld && lock.passage().isAwaited() && this.handOver.pass(lock, () -> tellReleased(lock, null))) {
			this.pending.remove(release);
			release.ended.complete(null);
			return release.ended;
		}
		release.begin();
		return release.ended;
	}

	/**
	 * Release a lease for which nobody waits any more, so nobody waits for the release
	 * either.
	 */
	public void releaseInBackground(Lease lease) {
		Release release = new Release() {
			@Override
			CompletionStage<Boolean> request(boolean again) {
				return lease.release();
			}
		};
		this.pending.add(release);
		release.tryInTime(0);
	}

	/**
	 * Return whether no release is under way or will be tried again.
	 */
	public boolean isIdle() {
		return this.pending.members().isEmpty();
	}

	/**
	 * Prepare for the end of the timers: from now on a release is tried again only as
	 * long as somebody waits for it, and those that count as failed are tried once more
	 * at once.
	 * @return complete with these last tries, within the command time-out
	 */
	public List<CompletableFuture<?>> close() {
		this.retries = RETRIES_IN_TIME;
		return this.pending.members().stream().map(Release::tryLast).toList();
	}

	/**
	 * Let no release be tried again: timers have no more pauses.
	 */
	public void end() {
		this.retries = 0;
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
	private CompletionStage<Boolean> keepForMinimum(HeldLock lock, boolean again) {
		return lock.requests()
			.last()
			.handle((ignored, failure) -> again || !lock.clock().isSettled(this.runtime.nanoTime()))
			.thenCompose((mayArrive) -> shorten(lock, mayArrive));
	}

	/**
	 * Shorten the lease.
	 * @param mayArrive whether a request without an answer may be carried out after this
	 * one, and make the lease longer again
	 */
	private CompletionStage<Boolean> shorten(HeldLock lock, boolean mayArrive) {
		Duration rest = LockTimes.wholeMillis(Duration.ofNanos(Math.max(lock.remainingMinimumNanos(), 1)));
		Duration shortest = lock.provider().leaseLimits().shortest();
		boolean tooShort = rest.compareTo(shortest) < 0;
		boolean exact = lock.provider().capabilities().contains(LockCapability.EXACT_EXPIRY);
		return lock.lease().renew(tooShort ? shortest : rest).thenApply((term) -> {
			if (term != null && (tooShort || mayArrive || !exact)) {
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
	 * The release of one lease. It is tried again if it fails, even if nobody waits any
	 * more: the lease would keep others out.
	 */
	private abstract class Release extends Bag.Member {

		/**
		 * Begins the next try.
		 */
		private volatile Timers.Timer pause = Timers.Timer.NONE;

		/**
		 * How many tries were made before this pause.
		 */
		private volatile int tries;

		/**
		 * Call the provider.
		 * @param again whether it was called before
		 */
		abstract CompletionStage<Boolean> request(boolean again);

		/**
		 * Hear the answer; or the failure of the last try in time, and perhaps that of
		 * the last one.
		 */
		void onEnd(@Nullable Boolean stillOwned, @Nullable Throwable failure, boolean again) {
			// nobody waits
		}

		/**
		 * Try for at most the command time-out.
		 * @param retry how many tries were made before
		 */
		void tryInTime(int retry) {
			Try next = new Try(this, retry);
			try {
				next.limit = LeaseReleaser.this.providerCalls.limit(next::onTimeout);
			}
			catch (Throwable ex) {
				// without a limit it might have no end
				next.accept(null, ex);
				return;
			}
			next.send();
		}

		/**
		 * Try again after a pause.
		 * @return {@code false} if it was tried often enough
		 */
		private boolean tryAgainAfter(int retry) {
			if (retry >= LeaseReleaser.this.retries) {
				return false;
			}
			this.tries = retry + 1;
			long delay = (LeaseReleaser.this.providerCalls.commandTimeoutNanos() >> FIRST_PAUSE_SHIFT) << retry;
			try {
				Timers.Timer next = LeaseReleaser.this.timers.stepAt(LeaseReleaser.this.runtime.nanoTime() + delay,
						() -> tryInTime(retry + 1));
				this.pause = next;
				// whoever closes meanwhile may not have seen it
				return retry < LeaseReleaser.this.retries || !next.cancel();
			}
			catch (Throwable ex) {
				// no memory for a timer: the lease expires by itself
				return false;
			}
		}

		/**
		 * Try now, if there is a pause and the release counts as failed.
		 * @return completes with that try, within the command time-out
		 */
		private CompletableFuture<?> tryLast() {
			if (this.tries <= RETRIES_IN_TIME || !this.pause.cancel()) {
				return CompletableFuture.completedFuture(null);
			}
			return LeaseReleaser.this.providerCalls.askOnThread(() -> request(true), (late) -> {
			}).whenComplete((stillOwned, failure) -> {
				LeaseReleaser.this.pending.remove(this);
				onEnd(stillOwned, failure, true);
			});
		}

	}

	/**
	 * One call of the provider for a release.
	 */
	private final class Try extends ProviderCalls.FirstAnswer<Boolean> {

		private static final long serialVersionUID = 1;

		private final transient Release release;

		private final int retry;

		private transient volatile Timers.Timer limit = Timers.Timer.NONE;

		private volatile boolean calling;

		private volatile boolean timedOut;

		private Try(Release release, int retry) {
			this.release = release;
			this.retry = retry;
		}

		private void send() {
			this.calling = true;
			LeaseReleaser.this.providerCalls.hear(() -> this.release.request(this.retry > 0), this);
			this.calling = false;
			if (this.timedOut) {
				onTimeout();
			}
		}

		/**
		 * Called after the command time-out. A call that has not returned by then is
		 * followed by another one when it has: not each on one more thread.
		 */
		private void onTimeout() {
			this.timedOut = true;
			if (!this.calling) {
				accept(null, LeaseReleaser.this.providerCalls.noAnswer());
			}
		}

		@Override
		protected void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure) {
			this.limit.cancel();
			// before others hear of it: what they do may block
			boolean again = failure != null && this.release.tryAgainAfter(this.retry);
			if (!again) {
				LeaseReleaser.this.pending.remove(this.release);
			}
			if (!again || this.retry == RETRIES_IN_TIME) {
				this.release.onEnd(stillOwned, failure, this.retry > 0);
			}
		}

	}

	/**
	 * The release of a lock that somebody had, who waits for at most the command
	 * time-out.
	 */
	private final class ReleaseOfHold extends Release {

		private final HeldLock lock;

		private final boolean used;

		private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

		/**
		 * Set before it is sent.
		 */
		private boolean wasHeld;

		/**
		 * Who cancels it ends the wait, or it does so itself.
		 */
		private volatile Timers.Timer limit = Timers.Timer.NONE;

		private volatile long sentNanos;

		private ReleaseOfHold(HeldLock lock, boolean used) {
			this.lock = lock;
			this.used = used;
		}

		private void begin() {
			Try first = new Try(this, 0);
			try {
				this.limit = LeaseReleaser.this.providerCalls.limit(() -> {
					end(LeaseReleaser.this.providerCalls.noAnswer());
					first.onTimeout();
				});
			}
			catch (Throwable ex) {
				// without a limit nobody may wait for it
				end(ex);
			}
			first.send();
		}

		@Override
		CompletionStage<Boolean> request(boolean again) {
			this.sentNanos = LeaseReleaser.this.runtime.nanoTime();
			return (this.used && this.lock.remainingMinimumNanos() > 0) ? keepForMinimum(this.lock, again)
					: this.lock.lease().release();
		}

		@Override
		void onEnd(@Nullable Boolean stillOwned, @Nullable Throwable failure, boolean again) {
			// a retry finds nothing if only the answer to the try before it was lost
			if (this.wasHeld && failure == null && !Boolean.TRUE.equals(stillOwned) && !again) {
				warnings.warn(
						"Lock '{}' of provider {} was no longer held when it was released: its lease had ended, and another owner may have held the lock meanwhile. If the client lost its connection just now, the lock may have been held, and only the answer was lost.",
						this.lock.key(), this.lock.attempt().providerName());
			}
			if (this.limit.cancel()) {
				end(failure);
			}
		}

		private void end(@Nullable Throwable failure) {
			// the next call's turn begins after this step: who waits for this release
			// must not wait for what that call does
			Trampoline.runNow(() -> letNextIn(failure));
		}

		private void letNextIn(@Nullable Throwable failure) {
			// its time is before those of what the caller or the next call does
			Guard.run("telling of a release", () -> tell(failure));
			Guard.run("letting the next caller in", () -> this.lock.passage().leave(this.lock));
			Failures.settle(this.ended, null, failure);
		}

		private void tell(@Nullable Throwable failure) {
			if (!this.wasHeld) {
				return;
			}
			if (failure == null) {
				tellReleased(this.lock, Duration.ofNanos(LeaseReleaser.this.runtime.nanoTime() - this.sentNanos));
			}
			else {
				LeaseReleaser.this.listeners.tell(LockEvent.ReleaseFailed.class,
						(now) -> new LockEvent.ReleaseFailed(this.lock.attempt().info(), now, this.lock.heldFor(),
								failure));
			}
		}

	}

}
