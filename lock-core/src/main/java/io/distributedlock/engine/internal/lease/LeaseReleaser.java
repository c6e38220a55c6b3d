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
		release.send();
		return release.ended;
	}

	/**
	 * Release a lease for which nobody waits any more, so nobody waits for the release
	 * either.
	 */
	public void releaseInBackground(Lease lease) {
		send(0, lease::release, (stillOwned, failure) -> {
			// it may have ended before its grant was heard of
		});
	}

	/**
	 * Return the releases under way, so that a template which closes can wait for them.
	 */
	public List<CompletableFuture<@Nullable Void>> pending() {
		return this.pending.members().stream().map((release) -> release.ended).toList();
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
	 * Ask for a release, and again if that fails, even if nobody waits any more: the
	 * lease would keep others out.
	 * @param retry how many tries were made before
	 * @param request calls the provider
	 * @param onEnd hears the answer, or the failure of the last try in time
	 */
	private void send(int retry, Supplier<CompletionStage<Boolean>> request,
			BiConsumer<@Nullable Boolean, @Nullable Throwable> onEnd) {
		this.providerCalls.hear(request, new ProviderCalls.FirstAnswer<>() {
			@Override
			protected void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure) {
				if (failure == null || retry == RETRIES_IN_TIME) {
					onEnd.accept(stillOwned, failure);
				}
				if (failure != null && retry < RETRIES) {
					long delay = (LeaseReleaser.this.providerCalls.commandTimeoutNanos() >> FIRST_PAUSE_SHIFT) << retry;
					LeaseReleaser.this.timers.stepAt(LeaseReleaser.this.runtime.nanoTime() + delay,
							() -> LeaseReleaser.this.send(retry + 1, request, onEnd));
				}
			}
		});
	}

	/**
	 * The release of a lock that somebody had. It is pending until the lease is released
	 * or the command time-out is over.
	 */
	private final class ReleaseOfHold extends Bag.Member {

		private final HeldLock lock;

		private final boolean used;

		private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

		/**
		 * Set before it is sent.
		 */
		private boolean wasHeld;

		private volatile Timers.Timer limit = Timers.Timer.NONE;

		private volatile long sentNanos;

		private volatile boolean sent;

		private volatile boolean retried;

		private ReleaseOfHold(HeldLock lock, boolean used) {
			this.lock = lock;
			this.used = used;
		}

		/**
		 * Send it for somebody who waits for at most the command time-out.
		 */
		private void send() {
			try {
				this.limit = LeaseReleaser.this.providerCalls
					.limit(() -> end(LeaseReleaser.this.providerCalls.noAnswer()));
			}
			catch (Throwable ex) {
				// without a limit nobody may wait for it
				end(ex);
			}
			LeaseReleaser.this.send(0, this::request, this::onAnswer);
		}

		private CompletionStage<Boolean> request() {
			this.sentNanos = LeaseReleaser.this.runtime.nanoTime();
			this.retried = this.sent;
			this.sent = true;
			return (this.used && this.lock.remainingMinimumNanos() > 0) ? keepForMinimum(this.lock)
					: this.lock.lease().release();
		}

		private void onAnswer(@Nullable Boolean stillOwned, @Nullable Throwable failure) {
			// a retry finds nothing if only the answer to the try before it was lost
			if (this.wasHeld && failure == null && !Boolean.TRUE.equals(stillOwned) && !this.retried) {
				warnings.warn(
						"Lock '{}' of provider {} was no longer held when it was released: its lease had ended, and another owner may have held the lock meanwhile. If the client lost its connection just now, the lock may have been held, and only the answer was lost.",
						this.lock.key(), this.lock.attempt().providerName());
			}
			end(failure);
		}

		private void end(@Nullable Throwable failure) {
			if (!LeaseReleaser.this.pending.remove(this)) {
				return;
			}
			this.limit.cancel();
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
