package io.distributedlock.engine.internal.key;

import io.distributedlock.engine.internal.lease.HandOver;
import io.distributedlock.engine.internal.lease.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * The turn of a call among the calls of this JVM for its key. It stands in line at the
 * {@link KeyLock}. In front it asks the backend, or takes over what the call before it
 * had. If its wait is over before that, it ends by what the call in front knows.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 */
final class Turn implements Waiter {

	/**
	 * How soon a call whose wait is over looks for the first time what the call in front
	 * knows.
	 */
	private static final long FIRST_LOOK_NANOS = 1_000_000;

	private final Acquisition call;

	private final Acquisition.Shared shared;

	private final AttemptLoop attempts;

	/**
	 * Whether this call stays in front at its key while it has its lock.
	 */
	private final boolean keepsKey;

	private volatile KeyLock key = KeyLock.NOWHERE;

	/**
	 * Whether this call, which stood in line or asks for a permit, is in front.
	 */
	private volatile boolean come;

	Turn(Acquisition call, Acquisition.Shared shared, AttemptLoop attempts) {
		this.call = call;
		this.shared = shared;
		this.attempts = attempts;
		this.keepsKey = !call.attempt().takesTurnsToAsk();
	}

	/**
	 * Begin the call: it asks, unless others of this JVM are in front.
	 */
	void begin() {
		if (!this.keepsKey || enter()) {
			this.attempts.ask();
		}
		else if (!this.call.hasTimeToWait()) {
			onTimeout(FIRST_LOOK_NANOS);
		}
		else if (this.call.joinWaiting()) {
			awaitTurn();
		}
	}

	/**
	 * Wait for a turn to ask for a permit. One call of this JVM asks; when it has its
	 * permit, the next one asks.
	 * @return {@code true} if it is the turn of this call already
	 */
	boolean takeToAsk() {
		if (enter()) {
			this.come = true;
			return true;
		}
		awaitTurn();
		return false;
	}

	/**
	 * Return whether the call may ask again, and need not wait for a turn to do so.
	 */
	boolean mayAsk() {
		return this.keepsKey || this.come;
	}

	/**
	 * Come to the key.
	 * @return whether the call is in front, or takes no turns
	 */
	private boolean enter() {
		boolean entered = !this.call.attempt().takesTurns() || this.shared.keys().enter(this.call.attempt().id(), this);
		if (this.call.isOver()) {
			// the acquisition was ended meanwhile, before it stood anywhere
			leave();
		}
		return entered;
	}

	@Override
	public void standsAt(KeyLock lock) {
		this.key = lock;
	}

	int expectedHolders() {
		return this.key.expectedHolders();
	}

	/**
	 * Return the key as the hold of this call knows it.
	 */
	KeyLock passage() {
		return this.keepsKey ? this.key : KeyLock.NOWHERE;
	}

	/**
	 * The call gets its lock.
	 */
	void hold(HeldLock lock) {
		KeyLock at = passage();
		at.hold(this, lock);
		if (!lock.isHeld()) {
			// lost before that: the keeper has not found it in front
			this.shared.runtime().execute(() -> at.leave(lock));
		}
	}

	/**
	 * The call has ended.
	 * @param acquired whether it has its lock, for which it may keep the key
	 */
	void end(boolean acquired) {
		if (!acquired || !this.keepsKey) {
			leave();
		}
	}

	private void leave() {
		this.key.leave(this);
	}

	private void awaitTurn() {
		this.call.attemptTimers().lookAt(this.call.waitUntilNanos(), () -> onTimeout(FIRST_LOOK_NANOS));
		limitAnswer();
	}

	/**
	 * If the turn has come, also while another thread was about to set the next look,
	 * wait for the answer only. The command time-out counts from the end of the wait
	 * time.
	 */
	private void limitAnswer() {
		if (!this.come) {
			return;
		}
		this.call.endLook();
		if (this.call.remainingWaitNanos() <= 0) {
			long until = this.call.waitUntilNanos() + this.shared.providerCalls().commandTimeoutNanos();
			this.call.attemptTimers().lookAt(until, this.call::endUnanswered);
		}
	}

	@Override
	public void onTurn() {
		this.come = true;
		if (this.call.isOver()) {
			leave();
			return;
		}
		if (this.shared.calls().isClosed()) {
			this.call.end(AcquisitionOutcome.CLOSED);
			return;
		}
		try {
			limitAnswer();
			this.attempts.ask();
		}
		catch (Throwable ex) {
			this.call.end(AcquisitionOutcome.unavailable(ex));
		}
	}

	/**
	 * The wait time is over, and another call of this JVM is in front. If that call holds
	 * the key, this is contention. If the backend failed for it, this is an outage. If it
	 * has no answer yet, this call waits for that answer, at most the command time-out.
	 */
	private void onTimeout(long lookNanos) {
		if (!this.come) {
			long nextNanos = Math.min(lookNanos * 2, AttemptTimers.FIRST_DELAY_NANOS);
			this.call.endWait(verdictOfOthers(), lookNanos, () -> onTimeout(nextNanos));
			limitAnswer();
		}
	}

	private @Nullable AcquisitionOutcome verdictOfOthers() {
		if (this.key.isHeld()) {
			return AcquisitionOutcome.CONTENDED;
		}
		Waiter front = inFront();
		return (front != null) ? front.verdict() : null;
	}

	/**
	 * Return the other call that asks the backend, {@code null} if none does.
	 */
	private @Nullable Waiter inFront() {
		Waiter front = this.key.asking();
		return (front != this) ? front : null;
	}

	@Override
	public @Nullable AcquisitionOutcome verdict() {
		return this.attempts.verdict();
	}

	@Override
	public boolean onOutage(AcquisitionOutcome outage) {
		if (!this.call.attempt().waitsWithoutEnd() || this.call.isOver()) {
			return false;
		}
		if (!this.call.attempt().waitThroughOutage()) {
			this.call.end(outage);
		}
		return this.call.attempt().waitThroughOutage();
	}

	/**
	 * The backend has failed for so long that calls which wait without end are to end:
	 * this one, and those behind it, which would find out the same one after the other.
	 */
	void endForOutage(CallOutage outage, Throwable failure) {
		AcquisitionOutcome outcome = AcquisitionOutcome.unavailable(failure);
		boolean waitsOn = false;
		for (Waiter behind : this.key.behind(this)) {
			waitsOn |= behind.onOutage(outcome);
		}
		waitsOn |= onOutage(outcome);
		if (waitsOn) {
			outage.warn(this.call.attempt(), this.shared.runtime().nanoTime(), failure);
		}
	}

	/**
	 * As {@link CallUnderWay#isInVain}. One behind a holder of this JVM waits for that
	 * holder, who may pass the lock on without the provider.
	 */
	boolean isInVain(boolean asking) {
		boolean waitsOn = this.call.attempt().waitThroughOutage() || this.key.isHeld();
		return !waitsOn && (asking || inFront() != null);
	}

	@Override
	public boolean fits(HeldLock lock) {
		return HandOver.fits(lock, this.call.attempt(), this.shared.runtime().nanoTime());
	}

	@Override
	public void takeOver(HeldLock before) {
		this.come = true;
		this.call.endLook();
		this.attempts.noteContention();
		this.call.takeOver(before);
	}

}
