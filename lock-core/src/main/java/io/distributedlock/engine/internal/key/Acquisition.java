package io.distributedlock.engine.internal.key;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockType;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.event.ObservedCall;
import io.distributedlock.engine.internal.lease.HandOver;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.lease.Passage;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.engine.internal.runtime.Trampoline;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseExchange;
import org.jspecify.annotations.Nullable;

/**
 * How one call acquires a lock. It stands in line at its {@link KeyLock}, and in front
 * asks the backend until it has the lock or the wait time is over. It has no thread of
 * its own: each step runs on the thread that brings an answer, a signal or a turn, and no
 * step blocks. It ends with exactly one outcome.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md,
 * docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class Acquisition extends CallUnderWay implements Waiter {

	private static final AtomicReferenceFieldUpdater<Acquisition, @Nullable AttemptTimers> ATTEMPT_TIMERS = AtomicReferenceFieldUpdater
		.newUpdater(Acquisition.class, AttemptTimers.class, "attemptTimers");

	private static final AtomicIntegerFieldUpdater<Acquisition> FINISHED = AtomicIntegerFieldUpdater
		.newUpdater(Acquisition.class, "finished");

	private static final AtomicIntegerFieldUpdater<Acquisition> WAITING = AtomicIntegerFieldUpdater
		.newUpdater(Acquisition.class, "waiting");

	/**
	 * How soon a call whose wait is over looks for the first time what the call in front
	 * knows.
	 */
	private static final long FIRST_LOOK_NANOS = 1_000_000;

	private final LockAttempt attempt;

	private final Shared shared;

	private final String localKey;

	/**
	 * Whether this call stays in front at its key while it has its lock.
	 */
	private boolean keepsKey;

	/**
	 * Where it stands, from when it enters; {@code null} for a call that takes no turns.
	 */
	private volatile @Nullable KeyLock key;

	/**
	 * The locks that the caller holds; {@code null} when the call has ended, as a handle
	 * to which something refers counts as in use.
	 */
	private volatile @Nullable LockContext caller;

	/**
	 * The thread that waits for the outcome, {@code null} if none does.
	 */
	private final @Nullable Thread thread;

	private final ObservedCall observed;

	private final long startNanos;

	private final long waitUntilNanos;

	private final CompletableFuture<AcquisitionOutcome> result = new CompletableFuture<>();

	private volatile int finished;

	private volatile int waiting;

	private final AttemptLoop attempts;

	/**
	 * Whether this call, which stood in line or asks for a permit, is in front.
	 */
	private volatile boolean hasTurn;

	/**
	 * Created for a call that does not get its lock at once.
	 */
	private volatile @Nullable AttemptTimers attemptTimers;

	/**
	 * Begin on the thread of the caller.
	 * @param caller the locks that the caller holds
	 * @param thread this thread if it waits for the outcome, {@code null} otherwise
	 * @param observed the call as its observers see it
	 */
	public Acquisition(LockAttempt attempt, Shared shared, LockContext caller, @Nullable Thread thread,
			ObservedCall observed) {
		this.attempt = attempt;
		this.shared = shared;
		this.caller = caller;
		this.thread = thread;
		this.observed = observed;
		this.localKey = attempt.localKey();
		this.startNanos = shared.runtime().nanoTime();
		this.waitUntilNanos = this.startNanos + LockTimes.saturatedNanos(attempt.waitTime());
		this.attempts = new AttemptLoop(this, attempt, shared.access());
	}

	@Override
	public long startNanos() {
		return this.startNanos;
	}

	@Override
	public LockAttempt attempt() {
		return this.attempt;
	}

	@Override
	public @Nullable Thread thread() {
		return this.thread;
	}

	@Override
	boolean isInsideAnotherLock() {
		LockContext locks = this.caller;
		return locks != null && locks.innermost(LockHandle::isValid).isPresent();
	}

	long waitUntilNanos() {
		return this.waitUntilNanos;
	}

	int expectedHolders() {
		KeyLock at = this.key;
		return (at != null) ? at.expectedHolders() : 1;
	}

	boolean isOver() {
		return this.finished != 0;
	}

	boolean hasTurn() {
		return this.hasTurn;
	}

	@Override
	public boolean isWaiting() {
		return this.waiting != 0;
	}

	public CompletableFuture<AcquisitionOutcome> start() {
		try {
			this.keepsKey = !this.attempt.takesTurnsToAsk();
			boolean admitted = this.shared.calls().begin(this);
			if (isOver()) {
				this.shared.calls().end(this);
			}
			else if (!admitted) {
				end(AcquisitionOutcome.CLOSED);
			}
			else if (!this.keepsKey || enter()) {
				this.attempts.ask();
			}
			else if (this.attempt.waitTime().isZero()) {
				onTurnTimeout(FIRST_LOOK_NANOS);
			}
			else if (joinWaiting()) {
				awaitTurn();
			}
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
		return this.result;
	}

	@Override
	public boolean end(AcquisitionOutcome outcome) {
		if (!FINISHED.compareAndSet(this, 0, 1)) {
			return false;
		}
		try {
			Trampoline.runNow(() -> conclude(outcome));
		}
		catch (Throwable ex) {
			// there was no memory for it
			conclude(outcome);
		}
		return true;
	}

	private void conclude(AcquisitionOutcome outcome) {
		try {
			if (!this.attempts.isUnanswered()) {
				this.shared.calls().end(this);
			}
			this.caller = null;
			if (isWaiting() && WAITING.compareAndSet(this, 1, 0)) {
				this.shared.keys().part(this.localKey);
			}
			ifBegun(AttemptTimers::end);
			if (outcome.lock() == null || keptKey() == null) {
				leaveKey();
			}
			// its time is before those of what the caller does next
			tell(outcome);
		}
		finally {
			// last of these: the caller may try again immediately, and must not meet
			// itself
			this.result.complete(outcome);
		}
		// calls of the provider come after the caller has its outcome: they may fail or
		// block
		ifBegun(AttemptTimers::stopListening);
		this.attempts.leavePlace();
	}

	private void tell(AcquisitionOutcome outcome) {
		Listeners listeners = this.shared.listeners();
		Reason reason = outcome.reason();
		if (outcome.lock() != null) {
			listeners.tell(LockEvent.Acquired.class,
					(now) -> new LockEvent.Acquired(this.attempt.info(), now, waitedUntil(now)));
		}
		else if (reason != null) {
			listeners.tell(LockEvent.NotAcquired.class,
					(now) -> new LockEvent.NotAcquired(this.attempt.info(), now, waitedUntil(now), reason));
		}
		else {
			listeners.tell(LockEvent.Unavailable.class, (now) -> new LockEvent.Unavailable(this.attempt.info(), now,
					waitedUntil(now), outcome.requiredFailure()));
		}
	}

	private Duration waitedUntil(long nanos) {
		return Duration.ofNanos(nanos - this.startNanos);
	}

	/**
	 * End the acquisition because its wait is over and the backend has not answered.
	 */
	public void endUnanswered() {
		end(AcquisitionOutcome.unavailable(this.shared.providerCalls().noAnswer()));
	}

	/**
	 * Come to the key.
	 * @return whether the call is in front, or takes no turns
	 */
	private boolean enter() {
		boolean entered = !this.attempt.takesTurns() || this.shared.keys().enter(this.localKey, this);
		if (isOver()) {
			// the acquisition was ended meanwhile, before it stood anywhere
			leaveKey();
		}
		return entered;
	}

	private @Nullable KeyLock keptKey() {
		return this.keepsKey ? this.key : null;
	}

	private void leaveKey() {
		KeyLock at = this.key;
		if (at != null) {
			at.leave(this);
		}
	}

	@Override
	public void standsAt(KeyLock lock) {
		this.key = lock;
	}

	/**
	 * Wait for a turn to ask for a permit. One call of this JVM asks; when it has its
	 * permit, the next one asks.
	 * @return {@code true} if it is the turn of this call already
	 */
	boolean takeTurnToAsk() {
		if (enter()) {
			this.hasTurn = true;
			return true;
		}
		awaitTurn();
		return false;
	}

	private void awaitTurn() {
		awaitTurnUntil(this.waitUntilNanos, FIRST_LOOK_NANOS);
	}

	private void awaitTurnUntil(long untilNanos, long lookNanos) {
		attemptTimers().lookAt(untilNanos, () -> onTurnTimeout(lookNanos));
		if (this.hasTurn) {
			limitAnswer();
		}
	}

	/**
	 * The turn has come. The command time-out counts from the end of the wait time.
	 */
	private void limitAnswer() {
		endLook();
		if (remainingWaitNanos() <= 0) {
			long until = this.waitUntilNanos + this.shared.providerCalls().commandTimeoutNanos();
			attemptTimers().lookAt(until, this::endUnanswered);
		}
	}

	@Override
	public void onTurn() {
		this.hasTurn = true;
		if (isOver()) {
			leaveKey();
			return;
		}
		if (this.shared.calls().isClosed()) {
			end(AcquisitionOutcome.CLOSED);
			return;
		}
		try {
			limitAnswer();
			this.attempts.ask();
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
	}

	/**
	 * The wait time is over, and another call of this JVM is in front. If that call holds
	 * the key, this is contention. If the backend failed for it, this is an outage. If it
	 * has no answer yet, this call waits for that answer, at most the command time-out.
	 */
	private void onTurnTimeout(long lookNanos) {
		if (this.hasTurn) {
			return;
		}
		AcquisitionOutcome verdict = verdictOfOthers();
		long leftNanos = remainingWaitNanos() + this.shared.providerCalls().commandTimeoutNanos();
		if (verdict != null) {
			end(verdict);
		}
		else if (leftNanos <= 0) {
			endUnanswered();
		}
		else {
			awaitTurnUntil(this.shared.runtime().nanoTime() + Math.min(lookNanos, leftNanos),
					Math.min(lookNanos * 2, AttemptTimers.FIRST_DELAY_NANOS));
		}
	}

	private @Nullable AcquisitionOutcome verdictOfOthers() {
		KeyLock at = this.key;
		if (at == null || at.isHeld()) {
			return AcquisitionOutcome.CONTENDED;
		}
		Waiter front = at.asking();
		return (front != null && front != this) ? front.verdict() : null;
	}

	@Override
	public @Nullable AcquisitionOutcome verdict() {
		return this.attempts.verdict();
	}

	@Override
	public boolean onOutage(AcquisitionOutcome outage) {
		if (!this.attempt.waitsWithoutEnd() || isOver()) {
			return false;
		}
		if (!this.attempt.waitThroughOutage()) {
			end(outage);
		}
		return this.attempt.waitThroughOutage();
	}

	/**
	 * The backend has failed for so long that calls which wait without end are to end:
	 * this one, and those behind it, which would find out the same one after the other.
	 */
	void endForOutage(CallOutage outage, Throwable failure) {
		AcquisitionOutcome outcome = AcquisitionOutcome.unavailable(failure);
		boolean waitsOn = false;
		KeyLock at = this.key;
		for (Waiter behind : (at != null) ? at.behind(this) : List.<Waiter>of()) {
			waitsOn |= behind.onOutage(outcome);
		}
		waitsOn |= onOutage(outcome);
		if (waitsOn) {
			outage.warn(this.attempt, this.shared.runtime().nanoTime(), failure);
		}
	}

	/**
	 * One behind a holder of this JVM waits for that holder, who may pass the lock on
	 * without the provider.
	 */
	@Override
	boolean isInVain(boolean asking) {
		KeyLock at = this.key;
		if (this.attempt.waitThroughOutage() || (at != null && at.isHeld())) {
			return false;
		}
		Waiter front = (at != null) ? at.asking() : null;
		return asking || (front != null && front != this);
	}

	@Override
	public boolean fits(HeldLock lock) {
		return HandOver.fits(lock, this.attempt, this.shared.runtime().nanoTime());
	}

	@Override
	public void takeOver(HeldLock before) {
		this.hasTurn = true;
		endLook();
		this.attempts.noteContention();
		HeldLock lock;
		try {
			lock = before.successor(this.attempt);
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			onLateLease(before.lease());
			return;
		}
		giveOrRelease(lock);
	}

	@Override
	public boolean canExchange(HeldLock before) {
		return this.attempt.type() == LockType.EXCLUSIVE && this.attempt.isFor(before.provider())
				&& this.attempts.mayWait() && remainingWaitNanos() > 0 && !isOver();
	}

	@Override
	public CompletionStage<Boolean> exchange(HeldLock before) {
		this.hasTurn = true;
		ExchangedLease exchanged = new ExchangedLease((LeaseExchange) before.provider(), before.lease());
		AcquisitionOutcome over = null;
		try {
			endLook();
			if (this.shared.calls().isClosed()) {
				over = AcquisitionOutcome.CLOSED;
			}
			else {
				this.attempts.exchange(exchanged);
			}
		}
		catch (Throwable ex) {
			over = AcquisitionOutcome.unavailable(ex);
		}
		try {
			return exchanged.released();
		}
		finally {
			// after the release is sent: this lets the next call in
			if (over != null) {
				end(over);
			}
		}
	}

	/**
	 * Give the caller a lock, or release it.
	 */
	private void giveOrRelease(HeldLock lock) {
		boolean given = false;
		try {
			given = give(lock);
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
		if (!given) {
			// nobody had it, so that its release is no event
			lock.markReleased();
			this.shared.releaser().release(lock, false);
		}
	}

	private boolean give(HeldLock lock) {
		lock.calledBy(this.thread, this.observed);
		// a template that closes takes all locks back when it has ended the calls
		if (this.shared.calls().isClosed() || !this.shared.keeper().track(lock)) {
			end(AcquisitionOutcome.CLOSED);
			return false;
		}
		if (!lock.isValid() || !lock.begin()) {
			// lost just now: this call is in front still, and may ask again
			this.attempts.onFailure(LockErrors.noTimeLeft(this.attempt, lock.lease()));
			return false;
		}
		KeyLock at = keptKey();
		if (at != null) {
			at.hold(this, lock);
			if (!lock.isHeld()) {
				// lost before that: the keeper has not found it in front
				this.shared.runtime().execute(() -> at.leave(lock));
			}
		}
		return end(AcquisitionOutcome.acquired(lock));
	}

	/**
	 * Make a lock of the lease that the backend has granted.
	 */
	void onLease(Lease lease) {
		HeldLock lock;
		try {
			KeyLock at = keptKey();
			lock = new HeldLock(this.attempt, lease, (at != null) ? at : Passage.FREE, this.shared.keeper());
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			onLateLease(lease);
			return;
		}
		// the caller is told first: the release may block
		if (!lock.isValid()) {
			this.attempts.onFailure(LockErrors.noTimeLeft(this.attempt, lease));
			onLateLease(lease);
		}
		else {
			giveOrRelease(lock);
		}
	}

	/**
	 * An answer was dealt with. A call that ended before it is under way until now: what
	 * the answer has brought is being released.
	 */
	void onAnswered() {
		if (isOver()) {
			this.shared.calls().end(this);
		}
	}

	void onLateLease(@Nullable Lease lease) {
		if (lease != null) {
			this.shared.releaser().releaseInBackground(lease);
		}
	}

	boolean joinWaiting() {
		if (!isWaiting()) {
			if (!this.shared.keys().join(this.localKey, this.attempt.maxWaiters())) {
				end(AcquisitionOutcome.CROWDED);
				return false;
			}
			if (!WAITING.compareAndSet(this, 0, 1)) {
				// another thread has counted this call
				this.shared.keys().part(this.localKey);
			}
			else {
				if (isOver() && WAITING.compareAndSet(this, 1, 0)) {
					this.shared.keys().part(this.localKey);
				}
				this.shared.listeners()
					.tell(LockEvent.Waiting.class, (now) -> new LockEvent.Waiting(this.attempt.info(), now));
			}
		}
		return !isOver();
	}

	/**
	 * Return the timers of this call, created when it needs the first.
	 */
	AttemptTimers attemptTimers() {
		AttemptTimers known = this.attemptTimers;
		if (known != null) {
			return known;
		}
		AttemptTimers created = new AttemptTimers(this.shared.timers(),
				(failure) -> end(AcquisitionOutcome.unavailable(failure)));
		if (!ATTEMPT_TIMERS.compareAndSet(this, null, created)) {
			return attemptTimers();
		}
		if (isOver()) {
			// the call was ended without it, and another thread may use it already
			created.end();
			created.stopListening();
		}
		return created;
	}

	void endPause() {
		ifBegun(AttemptTimers::endPause);
	}

	private void endLook() {
		ifBegun(AttemptTimers::endLook);
	}

	private void ifBegun(Consumer<AttemptTimers> step) {
		AttemptTimers begun = this.attemptTimers;
		if (begun != null) {
			step.accept(begun);
		}
	}

	long remainingWaitNanos() {
		return this.waitUntilNanos - this.shared.runtime().nanoTime();
	}

	/**
	 * What the acquisitions of a template have in common.
	 *
	 * @param runtime time and threads
	 * @param timers runs steps later
	 * @param providerCalls knows the command time-out
	 * @param access how to ask a backend
	 * @param keys the keys in use
	 * @param calls the calls under way
	 * @param keeper renews leases and watches deadlines
	 * @param releaser releases leases
	 * @param listeners are told what happens
	 */
	public record Shared(EngineRuntime runtime, Timers timers, ProviderCalls providerCalls, BackendAccess access,
			KeyLocks keys, CallsUnderWay calls, LeaseKeeper keeper, LeaseReleaser releaser, Listeners listeners) {
	}

}
