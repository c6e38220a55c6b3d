package io.distributedlock.engine.internal.lease;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.distributedlock.LockLostException;
import io.distributedlock.engine.internal.event.ObservedCall;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * A hold: what one caller has, from the grant of its lease to the release or loss, with
 * the re-entrant holders that share it. The lease may go on with the next caller.
 * <p>
 * Why: docs/decisions/014-abandoned-handles.md
 */
public final class HeldLock extends HoldState implements Runnable {

	private static final AtomicIntegerFieldUpdater<HeldLock> HOLDERS = AtomicIntegerFieldUpdater
		.newUpdater(HeldLock.class, "holders");

	private static final AtomicReferenceFieldUpdater<HeldLock, Timers.Timer> TIMER = AtomicReferenceFieldUpdater
		.newUpdater(HeldLock.class, Timers.Timer.class, "timer");

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<HeldLock, @Nullable CompletableFuture> RELEASE = AtomicReferenceFieldUpdater
		.newUpdater(HeldLock.class, CompletableFuture.class, "release");

	private final LockAttempt attempt;

	private final LeaseSuccession succession;

	/**
	 * How many callers of this JVM had the lease before.
	 */
	private final int index;

	/**
	 * When this hold began: when its lease arrived, which is later than its term begins.
	 */
	private final long beganNanos;

	private final LeaseKeeper keeper;

	private final LeaseClock clock;

	/**
	 * How many re-entrant holders share this hold. When the last one has left, nobody
	 * enters any more.
	 */
	private volatile int holders = 1;

	/**
	 * Whether one of them has left that may have done something under the lock.
	 */
	private volatile boolean used;

	private final TermRequests requests = new TermRequests();

	/**
	 * Refers to an object to which only handles refer, from the first handle on.
	 */
	private volatile @Nullable WeakReference<Object> useMarker;

	/**
	 * The thread that waited for the lock, {@code null} if none did.
	 */
	private @Nullable Thread thread;

	private ObservedCall observed = ObservedCall.NONE;

	@SuppressWarnings("UnusedVariable")
	private volatile Timers.Timer timer = Timers.Timer.NONE;

	private volatile @Nullable CompletableFuture<@Nullable Void> release;

	/**
	 * Begin a hold with a lease that the backend has granted.
	 */
	public HeldLock(LockAttempt attempt, Lease lease, Passage passage, LeaseKeeper keeper) {
		LeaseTerm first = lease.term();
		long now = keeper.nanoTime();
		this.attempt = attempt;
		boolean isShort = first.granted().compareTo(attempt.leaseOnBackend()) < 0;
		this.succession = new LeaseSuccession(lease, isShort ? first : null, now, passage);
		this.index = 0;
		this.beganNanos = now;
		this.keeper = keeper;
		this.clock = LeaseClock.of(attempt, first, now);
	}

	/**
	 * Begin a hold with the lease of a hold that has ended.
	 */
	private HeldLock(LockAttempt attempt, HeldLock before, long now) {
		this.attempt = attempt;
		this.succession = before.succession;
		this.index = before.index + 1;
		this.beganNanos = now;
		this.keeper = before.keeper;
		this.clock = before.clock.passedOn(attempt, now);
	}

	/**
	 * Begin a hold of another caller with the same lease. This hold has ended, and
	 * nothing is under way for its lease.
	 * @param next what that caller asked for
	 */
	public HeldLock successor(LockAttempt next) {
		return new HeldLock(next, this, this.keeper.nanoTime());
	}

	/**
	 * Note who asked for the lock, before another thread knows of it.
	 * @param caller the thread that waits for the lock, {@code null} if none does
	 * @param call the call as its observers see it
	 */
	public void calledBy(@Nullable Thread caller, ObservedCall call) {
		this.thread = caller;
		this.observed = call;
	}

	public @Nullable Thread thread() {
		return this.thread;
	}

	public ObservedCall observed() {
		return this.observed;
	}

	public LockAttempt attempt() {
		return this.attempt;
	}

	public String key() {
		return this.attempt.key();
	}

	public LockProvider provider() {
		return this.attempt.provider();
	}

	public Lease lease() {
		return this.succession.lease();
	}

	LeaseSuccession succession() {
		return this.succession;
	}

	/**
	 * Return how many callers of this JVM had the lease before this one.
	 */
	public int index() {
		return this.index;
	}

	Passage passage() {
		return this.succession.passage();
	}

	/**
	 * Return the fencing token of this hold.
	 */
	public OptionalLong fencingToken() {
		return this.succession.fencingToken(this.index);
	}

	public LeaseClock clock() {
		return this.clock;
	}

	public LeaseKeeper keeper() {
		return this.keeper;
	}

	/**
	 * Count one more holder.
	 * @return {@code false} if the last one has left
	 */
	public boolean enter() {
		return HOLDERS.getAndUpdate(this, (now) -> (now > 0) ? now + 1 : 0) > 0;
	}

	/**
	 * Count one holder less.
	 * @param worked {@code false} if it did nothing under the lock
	 * @return {@code true} if it was the last one
	 */
	public boolean exit(boolean worked) {
		if (worked) {
			this.used = true;
		}
		return HOLDERS.decrementAndGet(this) == 0;
	}

	public int holders() {
		return this.holders;
	}

	public boolean isUsed() {
		return this.used;
	}

	TermRequests requests() {
		return this.requests;
	}

	public boolean isValid() {
		return isHeld() && remainingNanos() > 0;
	}

	public long remainingNanos() {
		return isHeld() ? Math.max(0, this.clock.deadlineNanos() - this.keeper.nanoTime()) : 0;
	}

	/**
	 * Return what is left of the minimum hold time, zero or negative if nothing is.
	 */
	long remainingMinimumNanos() {
		long minimum = LockTimes.saturatedNanos(this.attempt.holdAtLeast());
		return (minimum == 0) ? 0 : this.beganNanos + minimum - this.keeper.nanoTime();
	}

	/**
	 * Return when this hold began.
	 */
	public long beganNanos() {
		return this.beganNanos;
	}

	/**
	 * Return how long this hold has lasted.
	 */
	public Duration heldFor() {
		return Duration.ofNanos(this.keeper.nanoTime() - this.beganNanos);
	}

	public void ensureHeld() {
		if (isValid()) {
			return;
		}
		LockLostException loss = loss();
		if (loss != null) {
			// of the thread that asks, for which its message alone must do
			throw new LockLostException(loss.getKey(), loss.getProvider(), String.valueOf(loss.getMessage()), loss);
		}
		throw LockErrors.lost(this.attempt, isReleased() ? "it was released before"
				: "its lease of %s has ended".formatted(LockTimes.text(this.clock.granted())));
	}

	/**
	 * Return the object to which a handle refers as long as it may be closed. Whoever
	 * asks for it after the first one got there by a handle, which keeps it.
	 */
	public Object useMarker() {
		WeakReference<Object> known = this.useMarker;
		Object marker = (known != null) ? known.get() : null;
		if (marker == null) {
			marker = new Object();
			this.useMarker = new WeakReference<>(marker);
		}
		return marker;
	}

	/**
	 * Return whether no handle will release this lock any more: all were forgotten and
	 * collected as garbage.
	 */
	boolean isAbandoned() {
		WeakReference<Object> known = this.useMarker;
		return known != null && known.get() == null;
	}

	/**
	 * Set when the keeper looks at this lock next.
	 */
	void setTimer(Timers timers, long atNanos) {
		timers.at(TIMER, this, atNanos, this);
		if (!isHeld()) {
			cancelTimers();
		}
	}

	/**
	 * Do what is due. Runs on the timer thread.
	 */
	@Override
	public void run() {
		this.keeper.attend(this);
	}

	void cancelTimers() {
		TIMER.getAndSet(this, Timers.Timer.NONE).cancel();
	}

	/**
	 * Note that the release begins. It begins once.
	 * @param begun completes when the lease is released
	 * @return what completes when the lease is released, if somebody else has begun;
	 * {@code null} otherwise
	 */
	@Nullable CompletableFuture<@Nullable Void> beginRelease(CompletableFuture<@Nullable Void> begun) {
		return RELEASE.compareAndSet(this, null, begun) ? null : this.release;
	}

	/**
	 * Remove the callbacks of a handle that is closed.
	 */
	public void forgetCallbacks(AtomicBoolean closed) {
		forget(closed);
		this.clock.unwatch(closed);
	}

}
