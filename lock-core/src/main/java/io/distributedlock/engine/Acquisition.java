package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;
import java.util.function.Predicate;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockType;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseExchange;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.QuestionState;
import org.jspecify.annotations.Nullable;

/**
 * How one call acquires a lock. It passes the local gate, and then makes attempts at the
 * backend until one succeeds or the wait time is over. Between two attempts it waits for
 * a signal of a release, and asks after the poll interval even without one. Where the
 * backend has a queue, a call that may wait takes a place there instead. It has no thread
 * of its own: each step runs on the thread that brings an answer, a signal or a turn, and
 * no step blocks. It ends with exactly one outcome.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md,
 * docs/decisions/013-attempts-end-with-their-caller.md
 */
final class Acquisition implements Contender, QueuedPlace.Caller {

	private static final AtomicReferenceFieldUpdater<Acquisition, @Nullable Pauses> PAUSES = AtomicReferenceFieldUpdater
		.newUpdater(Acquisition.class, Pauses.class, "pauses");

	/**
	 * How soon a call whose wait is over looks for the first time what the call inside
	 * the gate knows.
	 */
	private static final long FIRST_LOOK_NANOS = 1_000_000;

	private final LockAttempt attempt;

	private final Engine engine;

	private final String gateKey;

	private final Turn turn;

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

	private final AtomicBoolean finished = new AtomicBoolean();

	private final AtomicBoolean waiting = new AtomicBoolean();

	private final QuestionState question = new QuestionState();

	private final AtomicReference<@Nullable QueuedPlace> place = new AtomicReference<>();

	/**
	 * Whether the call is through the local gate.
	 */
	private volatile boolean inside;

	/**
	 * What the last answer of the backend means for the calls behind this one.
	 */
	private volatile @Nullable AcquisitionOutcome lastAnswer;

	/**
	 * Created for a call that does not get its lock at once.
	 */
	private volatile @Nullable Pauses pauses;

	/**
	 * Begin on the thread of the caller.
	 * @param caller the locks that the caller holds
	 * @param thread this thread if it waits for the outcome, {@code null} otherwise
	 */
	Acquisition(LockAttempt attempt, Engine engine, LockContext caller, @Nullable Thread thread) {
		this.attempt = attempt;
		this.engine = engine;
		this.caller = caller;
		this.thread = thread;
		this.observed = engine.observers().begin(attempt);
		this.gateKey = attempt.gateKey();
		this.turn = attempt.takesTurns() ? engine.gate().turn(this.gateKey, this) : Turn.FREE;
		this.startNanos = engine.nanoTime();
		this.waitUntilNanos = this.startNanos + LockTimes.saturatedNanos(attempt.waitTime());
	}

	long startNanos() {
		return this.startNanos;
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	@Nullable Thread thread() {
		return this.thread;
	}

	ObservedCall observed() {
		return this.observed;
	}

	/**
	 * Return whether the caller holds a lock: then it has to finish what it does.
	 */
	boolean isInsideAnotherLock() {
		LockContext locks = this.caller;
		return locks != null && locks.innermost(LockHandle::isValid).isPresent();
	}

	boolean isWaiting() {
		return this.waiting.get();
	}

	CompletableFuture<AcquisitionOutcome> start() {
		try {
			if (!this.engine.waiting().begin(this)) {
				end(AcquisitionOutcome.CLOSED);
			}
			else if (this.finished.get()) {
				this.engine.waiting().end(this);
			}
			else if (this.attempt.takesTurnsToAsk() || enterTurn()) {
				ask();
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

	/**
	 * End the acquisition, if it has not ended. It does not wait for the answer to an
	 * attempt that is under way: a lease that this answer brings is released.
	 * @return {@code false} if it had ended before
	 */
	boolean end(AcquisitionOutcome outcome) {
		if (!this.finished.compareAndSet(false, true)) {
			return false;
		}
		try {
			Trampoline.run(() -> conclude(outcome));
		}
		catch (Throwable ex) {
			// there was no memory to queue it
			conclude(outcome);
		}
		return true;
	}

	private void conclude(AcquisitionOutcome outcome) {
		try {
			this.engine.waiting().end(this);
			this.caller = null;
			if (this.waiting.compareAndSet(true, false)) {
				this.engine.waiting().leave(this.gateKey);
			}
			Pauses begun = this.pauses;
			if (begun != null) {
				begun.end();
			}
			if (outcome.lock() == null || this.attempt.takesTurnsToAsk()) {
				this.turn.leave();
			}
			else {
				this.turn.hold();
			}
		}
		finally {
			// last of these: the caller may try again immediately, and must not meet
			// itself
			this.result.complete(outcome);
		}
		// calls of the provider come after the caller has its outcome: they may fail or
		// block
		Pauses begun = this.pauses;
		if (begun != null) {
			begun.stopListening();
		}
		leavePlace();
		this.engine.listeners().ended(this.attempt, outcome, this.startNanos, this.engine.commandTimeout());
	}

	private boolean enterTurn() {
		boolean entered = this.turn.enter();
		if (this.finished.get()) {
			// the acquisition was ended meanwhile, before it had a turn to leave
			this.turn.leave();
		}
		return entered;
	}

	private void awaitTurn() {
		awaitTurnUntil(this.waitUntilNanos, FIRST_LOOK_NANOS);
	}

	private void awaitTurnUntil(long untilNanos, long lookNanos) {
		pauses().lookAt(untilNanos, () -> onTurnTimeout(lookNanos));
		if (this.inside) {
			endLook();
		}
	}

	@Override
	public void onTurn() {
		this.inside = true;
		endLook();
		if (this.finished.get()) {
			this.turn.leave();
			return;
		}
		if (this.engine.waiting().isClosed()) {
			end(AcquisitionOutcome.CLOSED);
			return;
		}
		try {
			if (remainingWaitNanos() <= 0) {
				// the command time-out counts from the end of the wait time
				long until = this.waitUntilNanos + this.engine.questions().commandTimeoutNanos();
				pauses().lookAt(until, () -> end(AcquisitionOutcome.UNANSWERED));
			}
			ask();
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
	}

	/**
	 * The wait time is over, and another call of this JVM is through the gate. If that
	 * call holds the key, this is contention. If the backend failed for it, this is an
	 * outage. If it has no answer yet, this call waits for that answer, at most the
	 * command time-out.
	 */
	private void onTurnTimeout(long lookNanos) {
		if (this.inside) {
			return;
		}
		AcquisitionOutcome verdict = this.turn.verdict();
		long leftNanos = remainingWaitNanos() + this.engine.questions().commandTimeoutNanos();
		if (verdict != null) {
			end(verdict);
		}
		else if (leftNanos <= 0) {
			end(AcquisitionOutcome.UNANSWERED);
		}
		else {
			awaitTurnUntil(this.engine.nanoTime() + Math.min(lookNanos, leftNanos),
					Math.min(lookNanos * 2, Pauses.FIRST_DELAY_NANOS));
		}
	}

	@Override
	public @Nullable AcquisitionOutcome verdict() {
		QueuedPlace place = this.place.get();
		if (place != null) {
			return place.isBehindOthers() ? AcquisitionOutcome.CONTENDED : null;
		}
		return this.lastAnswer;
	}

	@Override
	public boolean fits(HeldLock lock) {
		return HandOver.fits(lock, this.attempt, this.engine.nanoTime());
	}

	@Override
	public void takeOver(HeldLock before) {
		this.inside = true;
		endLook();
		this.lastAnswer = AcquisitionOutcome.CONTENDED;
		HeldLock lock;
		try {
			lock = before.successor(this.attempt, this.turn);
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			onLateLease(before.lease());
			return;
		}
		hold(lock, this.engine.keeper()::takeOver);
	}

	@Override
	// providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	public boolean exchanges(HeldLock before) {
		return this.attempt.type() == LockType.EXCLUSIVE && this.attempt.provider() == before.provider() && mayWait()
				&& remainingWaitNanos() > 0 && !this.finished.get();
	}

	@Override
	public CompletionStage<Boolean> exchange(HeldLock before) {
		this.inside = true;
		ExchangedLease exchanged = null;
		AcquisitionOutcome over = null;
		try {
			endLook();
			if (this.engine.waiting().isClosed()) {
				over = AcquisitionOutcome.CLOSED;
			}
			else if (!this.finished.get() && this.question.begin()) {
				exchanged = new ExchangedLease((LeaseExchange) before.provider(), before.lease());
				takePlace(exchanged);
			}
		}
		catch (Throwable ex) {
			over = AcquisitionOutcome.unavailable(ex);
		}
		try {
			return (exchanged != null) ? exchanged.released() : before.lease().release();
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
	 * @param tracking lets the keeper watch its lease; {@code false} if the keeper is
	 * closed
	 */
	private void hold(HeldLock lock, Predicate<HeldLock> tracking) {
		lock.calledBy(this.thread, this.observed);
		try {
			if (!tracking.test(lock)) {
				end(AcquisitionOutcome.CLOSED);
				this.engine.releaser().releaseNow(lock);
			}
			else if (!lock.isValid()) {
				// lost just now
				onFailure(LockErrors.noTimeLeft(this.attempt, lock.lease()));
				this.engine.releaser().releaseNow(lock);
			}
			else if (!end(AcquisitionOutcome.acquired(lock))) {
				this.engine.releaser().releaseNow(lock);
			}
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			this.engine.releaser().releaseNow(lock);
		}
	}

	private void onSignal() {
		if (this.question.signal()) {
			Guard.run("a signal of a release", this::ask);
		}
	}

	private void ask() {
		if (this.finished.get() || !this.question.begin()) {
			return;
		}
		Pauses before = this.pauses;
		if (before != null) {
			before.endPause();
		}
		if (mayWait() && this.attempt.provider() instanceof LockQueue queue && queue.queues(this.attempt.type())) {
			takePlace(queue::enqueue);
			return;
		}
		long giveUpAtNanos = this.engine.nanoTime() + this.engine.questions().commandTimeoutNanos();
		this.engine.questions()
			.ask(() -> this.attempt.provider()
				.tryAcquire(this.attempt.request(giveUpAtNanos, this.turn.expectedHolders(), this.engine.pollNanos())),
					this::onLateLease, this::onAnswer);
	}

	/**
	 * A call with a limit of waiters makes one attempt before it counts as a waiter.
	 */
	private boolean mayWait() {
		return !this.attempt.waitTime().isZero()
				&& (this.waiting.get() || this.attempt.maxWaiters() == Integer.MAX_VALUE);
	}

	private void takePlace(Function<LeaseRequest, LockQueue.Place> entrance) {
		QueuedPlace taken = new QueuedPlace(this.attempt, this.engine, this.waitUntilNanos, this.waiting.get(), this);
		this.place.set(taken);
		long remainingNanos = Math.max(remainingWaitNanos(), 0);
		taken.enter(entrance, this.turn.expectedHolders(),
				this.engine.nanoTime() + remainingNanos + this.engine.questions().commandTimeoutNanos());
		if (this.finished.get()) {
			leavePlace();
		}
	}

	@Override
	public void ended(QueuedPlace taken, @Nullable Lease lease, @Nullable Throwable failure) {
		if (this.place.compareAndSet(taken, null)) {
			onAnswer(lease, failure);
		}
		else if (lease != null) {
			onLateLease(lease);
		}
	}

	@Override
	public void waiting(QueuedPlace taken) {
		if (this.place.get() == taken) {
			joinWaiting();
		}
	}

	/**
	 * If the backend has confirmed that others are in front, this is contention.
	 * Otherwise the call waits for that confirmation, at most the command time-out.
	 */
	@Override
	public void waitOver(QueuedPlace taken) {
		if (this.place.get() != taken || remainingWaitNanos() > 0) {
			return;
		}
		if (taken.isBehindOthers()) {
			end(AcquisitionOutcome.CONTENDED);
		}
		else if (remainingWaitNanos() + this.engine.questions().commandTimeoutNanos() <= 0) {
			end(AcquisitionOutcome.UNANSWERED);
		}
		else {
			long again = Math.min(nextDelayNanos(),
					remainingWaitNanos() + this.engine.questions().commandTimeoutNanos());
			pauses().lookAt(this.engine.nanoTime() + again, () -> waitOver(taken));
		}
	}

	private void onAnswer(@Nullable Lease lease, @Nullable Throwable failure) {
		try {
			if (lease != null) {
				onLease(lease);
			}
			else if (failure != null) {
				onFailure(Failures.unwrap(failure));
			}
			else {
				onContention();
			}
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
	}

	private void onLease(Lease lease) {
		this.lastAnswer = AcquisitionOutcome.CONTENDED;
		HeldLock lock;
		try {
			lock = new HeldLock(this.attempt, lease, this.attempt.takesTurnsToAsk() ? Turn.FREE : this.turn,
					this.engine);
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			onLateLease(lease);
			return;
		}
		// the caller is told first: the release may block
		if (!lock.isValid()) {
			onFailure(LockErrors.noTimeLeft(this.attempt, lease));
			onLateLease(lease);
		}
		else {
			hold(lock, this.engine.keeper()::track);
		}
	}

	private void onLateLease(@Nullable Lease lease) {
		if (lease != null) {
			this.engine.releaser().releaseInBackground(this.attempt, lease);
		}
	}

	private void onContention() {
		this.lastAnswer = AcquisitionOutcome.CONTENDED;
		if (remainingWaitNanos() <= 0) {
			end(AcquisitionOutcome.CONTENDED);
		}
		else if (joinWaiting() && (!this.attempt.takesTurnsToAsk() || this.inside || isNextToAsk())) {
			boolean signalled = pauses().listen(this.attempt, this::onSignal);
			askLater(signalled ? this.engine.pollNanos() : nextDelayNanos());
		}
	}

	/**
	 * Wait for a turn to ask for a permit. One call of this JVM asks; when it has its
	 * permit, the next one asks.
	 */
	private boolean isNextToAsk() {
		this.question.end();
		if (enterTurn()) {
			this.inside = true;
			return true;
		}
		awaitTurn();
		return false;
	}

	private void onFailure(Throwable failure) {
		this.lastAnswer = AcquisitionOutcome.unavailable(failure);
		leavePlace();
		boolean retryable = failure instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!retryable || remainingWaitNanos() <= 0) {
			end(AcquisitionOutcome.unavailable(failure));
		}
		else if (joinWaiting()) {
			askLater(nextDelayNanos());
		}
	}

	private void askLater(long delay) {
		if (this.question.end()) {
			Trampoline.run(this::ask);
			return;
		}
		long jittered = delay - this.engine.runtime().random(delay / 4 + 1);
		long at = this.engine.nanoTime() + Math.min(jittered, Math.max(remainingWaitNanos(), 0));
		pauses().askAt(at, this::ask);
	}

	private long nextDelayNanos() {
		return pauses().nextDelayNanos(this.engine.pollNanos());
	}

	private boolean joinWaiting() {
		if (!this.waiting.get()) {
			if (!this.engine.waiting().join(this.gateKey, this.attempt.maxWaiters())) {
				end(AcquisitionOutcome.CROWDED);
				return false;
			}
			if (!this.waiting.compareAndSet(false, true)) {
				// another thread has counted this call
				this.engine.waiting().leave(this.gateKey);
			}
			else {
				if (this.finished.get() && this.waiting.compareAndSet(true, false)) {
					this.engine.waiting().leave(this.gateKey);
				}
				this.engine.listeners().waiting(this.attempt);
			}
		}
		return !this.finished.get();
	}

	private Pauses pauses() {
		Pauses known = this.pauses;
		if (known != null) {
			return known;
		}
		Pauses created = new Pauses(this.engine.timers());
		if (!PAUSES.compareAndSet(this, null, created)) {
			return pauses();
		}
		if (this.finished.get()) {
			// the call was ended without it, and another thread may use it already
			created.end();
			created.stopListening();
		}
		return created;
	}

	private void endLook() {
		Pauses begun = this.pauses;
		if (begun != null) {
			begun.endLook();
		}
	}

	private void leavePlace() {
		QueuedPlace current = this.place.getAndSet(null);
		if (current != null) {
			current.leave();
		}
	}

	private long remainingWaitNanos() {
		return this.waitUntilNanos - this.engine.nanoTime();
	}

}
