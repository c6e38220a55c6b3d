package io.distributedlock.engine.internal.key;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Trampoline;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.QuestionState;
import org.jspecify.annotations.Nullable;

/**
 * How one call asks the backend for its lock. It makes one attempt after another. Between
 * two attempts it waits for a signal of a release, and asks after the poll interval even
 * without one. Where the backend has a queue, a call that may wait takes a place there
 * instead. No step blocks: each runs on the thread that brings an answer or a signal. The
 * {@link Acquisition} makes a lock of what was granted, and ends the call.
 */
final class AttemptLoop {

	private static final AtomicReferenceFieldUpdater<AttemptLoop, @Nullable QueuedPlace> PLACE = AtomicReferenceFieldUpdater
		.newUpdater(AttemptLoop.class, QueuedPlace.class, "place");

	private final Acquisition call;

	private final LockAttempt attempt;

	private final BackendAccess access;

	private final QuestionState question = new QuestionState();

	private volatile @Nullable QueuedPlace place;

	/**
	 * Whether an attempt is under way: its answer may bring a lease though the call has
	 * ended.
	 */
	private volatile boolean unanswered;

	/**
	 * What the last answer of the backend means for the calls behind this one.
	 */
	private volatile @Nullable AcquisitionOutcome lastAnswer;

	/**
	 * {@code null} while the backend answers.
	 */
	private volatile @Nullable CallOutage outage;

	AttemptLoop(Acquisition call, LockAttempt attempt, BackendAccess access) {
		this.call = call;
		this.attempt = attempt;
		this.access = access;
	}

	/**
	 * Return what the backend has said that is true for other calls for the same key too.
	 * @return {@code null} if it has not answered
	 */
	@Nullable AcquisitionOutcome verdict() {
		QueuedPlace place = this.place;
		if (place != null) {
			return place.isBehindOthers() ? AcquisitionOutcome.CONTENDED : null;
		}
		return this.lastAnswer;
	}

	/**
	 * Note that somebody has the lock, for calls behind this one.
	 */
	void noteContention() {
		this.lastAnswer = AcquisitionOutcome.CONTENDED;
	}

	private void onSignal() {
		if (this.question.signal()) {
			// the provider may signal from inside of a release that this call has caused
			Trampoline.run(this::ask);
		}
	}

	/**
	 * Ask, unless a question is under way. A timer or a signal may run this: nobody but
	 * the call hears of an error.
	 */
	void ask() {
		if (this.call.isOver() || !this.question.begin()) {
			return;
		}
		try {
			askNow();
		}
		catch (Throwable ex) {
			this.unanswered = false;
			this.call.end(AcquisitionOutcome.unavailable(ex));
			this.call.onAnswered();
		}
	}

	private void askNow() {
		this.call.endPause();
		Throwable refusal = this.access.outages().refusal(this.attempt);
		if (refusal != null) {
			this.call.end(AcquisitionOutcome.unavailable(refusal));
			return;
		}
		LockQueue queue = queue();
		// before the look at the call: whoever ends it knows of the attempt, or is seen
		this.unanswered = queue == null;
		if (this.call.isOver()) {
			this.unanswered = false;
			this.call.onAnswered();
		}
		else if (queue != null) {
			takePlace(queue);
		}
		else {
			this.access.providerCalls().ask(this::tryAcquire, this::onAnswer, this::onLateAnswer);
		}
	}

	private @Nullable LockQueue queue() {
		return (mayWait() && this.attempt.provider() instanceof LockQueue queue && queue.queues(this.attempt.type()))
				? queue : null;
	}

	private CompletionStage<@Nullable Lease> tryAcquire() {
		long giveUpAtNanos = this.access.runtime().nanoTime() + this.access.providerCalls().commandTimeoutNanos();
		return this.attempt.provider()
			.tryAcquire(this.access.request(this.attempt, giveUpAtNanos, this.call.turn().expectedHolders()));
	}

	/**
	 * A lease was granted after its question or its place has ended.
	 */
	void onLateAnswer(@Nullable Lease lease) {
		this.call.onLateLease(lease);
	}

	/**
	 * Return whether the call may take a place in the queue of a backend at once. A call
	 * with a limit of waiters makes one attempt before it counts as a waiter.
	 */
	private boolean mayWait() {
		return this.call.hasTimeToWait() && (this.call.isWaiting() || this.attempt.maxWaiters() == Integer.MAX_VALUE);
	}

	private void takePlace(LockQueue queue) {
		QueuedPlace taken = new QueuedPlace(this.attempt, this.access, this.call.waitUntilNanos(),
				this.call.isWaiting(), this);
		this.place = taken;
		long remainingNanos = Math.max(this.call.remainingWaitNanos(), 0);
		taken.enter(queue, this.call.turn().expectedHolders(),
				this.access.runtime().nanoTime() + remainingNanos + this.access.providerCalls().commandTimeoutNanos());
		if (this.call.isOver()) {
			leavePlace();
		}
	}

	/**
	 * The place has ended. Called once.
	 * @param lease the lease, {@code null} if the place was lost or left
	 * @param failure why there is none
	 */
	void ended(QueuedPlace taken, @Nullable Lease lease, @Nullable Throwable failure) {
		if (PLACE.compareAndSet(this, taken, null)) {
			onAnswer(lease, failure);
		}
		else if (lease != null) {
			this.call.onLateLease(lease);
		}
	}

	/**
	 * The place is not granted at once.
	 */
	void waiting(QueuedPlace taken) {
		if (this.place == taken) {
			this.call.joinWaiting();
		}
	}

	/**
	 * The backend was asked about a place that it had confirmed.
	 * @param confirmed whether it still confirms that others are in front; {@code false}
	 * if it has failed, or has not answered
	 */
	void looked(QueuedPlace taken, boolean confirmed) {
		if (this.place != taken) {
			return;
		}
		if (confirmed) {
			this.outage = null;
			this.access.outages().answered(this.attempt.providerName());
		}
		else {
			Throwable failure = new BackendException("it gives no answer about the place of this call in its queue",
					true, null);
			this.access.outages().failed(this.attempt, failure);
			noteFailure(failure);
		}
	}

	/**
	 * The wait is over, or the backend has confirmed the place within the command
	 * time-out, before which it may have been over. If others are in front, this is
	 * contention. Otherwise the call waits for that confirmation, at most the command
	 * time-out.
	 */
	void waitOver(QueuedPlace taken) {
		if (this.place == taken && this.call.remainingWaitNanos() <= 0) {
			AcquisitionOutcome known = taken.isBehindOthers() ? AcquisitionOutcome.CONTENDED : null;
			this.call.endWait(known, nextDelayNanos(), () -> waitOver(taken));
		}
	}

	private void onAnswer(@Nullable Lease lease, @Nullable Throwable failure) {
		boolean attempted = this.unanswered;
		this.unanswered = attempted && this.call.isOver();
		try {
			if (failure != null) {
				this.access.outages().failed(this.attempt, failure);
			}
			else {
				this.access.outages().answered(this.attempt.providerName());
			}
			if (lease != null) {
				noteContention();
				this.call.onLease(lease);
			}
			else if (failure != null) {
				onFailure(Failures.unwrap(failure));
			}
			else {
				onContention(attempted);
			}
		}
		catch (Throwable ex) {
			this.call.end(AcquisitionOutcome.unavailable(ex));
		}
		this.call.onAnswered();
	}

	boolean isUnanswered() {
		return this.unanswered;
	}

	private void onContention(boolean attempted) {
		noteContention();
		this.outage = null;
		if (this.call.remainingWaitNanos() <= 0) {
			this.call.end(AcquisitionOutcome.CONTENDED);
		}
		else if (this.call.joinWaiting() && mayAskAgain()) {
			if (attempted && queue() != null) {
				// it counts as waiting now, so it may take a place
				this.question.end();
				Trampoline.run(this::ask);
				return;
			}
			boolean signalled = this.call.attemptTimers().listen(this.attempt, this::onSignal);
			askLater(signalled ? this.access.pollNanos() : nextDelayNanos());
		}
	}

	private boolean mayAskAgain() {
		if (this.call.turn().mayAsk()) {
			return true;
		}
		this.question.end();
		// a signal that comes while this call begins to listen asks after that
		return this.call.turn().takeToAsk() && this.question.begin();
	}

	/**
	 * Ask again later if the failure may pass before the wait is over, and end the call
	 * otherwise.
	 */
	void onFailure(Throwable failure) {
		this.lastAnswer = AcquisitionOutcome.unavailable(failure);
		leavePlace();
		boolean retryable = failure instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!retryable || this.call.remainingWaitNanos() <= 0) {
			this.call.end(AcquisitionOutcome.unavailable(failure));
			return;
		}
		noteFailure(failure);
		if (!this.call.isOver() && this.call.joinWaiting()) {
			askLater(nextDelayNanos());
		}
	}

	/**
	 * Note that the backend has failed once more. After the command time-out that ends
	 * calls which wait without end.
	 */
	private void noteFailure(Throwable failure) {
		long now = this.access.runtime().nanoTime();
		CallOutage current = this.outage;
		if (current == null) {
			this.outage = new CallOutage(now);
		}
		else if (current.lasts(now) >= this.access.providerCalls().commandTimeoutNanos()) {
			this.call.turn().endForOutage(current, failure);
		}
	}

	private void askLater(long delay) {
		if (this.question.end()) {
			Trampoline.run(this::ask);
			return;
		}
		long jittered = delay - this.access.runtime().random(delay / 4 + 1);
		long at = this.access.runtime().nanoTime() + Math.min(jittered, Math.max(this.call.remainingWaitNanos(), 0));
		this.call.attemptTimers().askAt(at, this::ask);
	}

	private long nextDelayNanos() {
		return this.call.attemptTimers().nextDelayNanos(this.access.pollNanos());
	}

	/**
	 * Give up the place in the queue of the backend, if there is one.
	 */
	void leavePlace() {
		QueuedPlace current = (this.place != null) ? PLACE.getAndSet(this, null) : null;
		if (current != null) {
			current.leave();
		}
	}

}
