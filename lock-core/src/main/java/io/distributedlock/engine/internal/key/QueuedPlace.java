package io.distributedlock.engine.internal.key;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A place in the queue of a backend, until it is granted or left. The backend is asked
 * about it at intervals. A place that the backend does not confirm within the command
 * time-out has failed.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 */
final class QueuedPlace {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(QueuedPlace.class));

	private static final AtomicReferenceFieldUpdater<QueuedPlace, Timers.Timer> TIMER = AtomicReferenceFieldUpdater
		.newUpdater(QueuedPlace.class, Timers.Timer.class, "timer");

	/**
	 * A call that has not got its lock by then, or a little later, counts as waiting. A
	 * free lock takes less.
	 */
	private static final long WAITING_AFTER_NANOS = AttemptTimers.FIRST_DELAY_NANOS;

	/**
	 * About 17 ms: calls begin to wait together, so that one timer serves many.
	 */
	private static final long TOGETHER_NANOS = 1L << 24;

	private final LockAttempt attempt;

	private final BackendAccess access;

	private final AttemptLoop caller;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	@SuppressWarnings("UnusedVariable")
	private volatile Timers.Timer timer = Timers.Timer.NONE;

	/**
	 * What is to be done, and when. One task after the other uses this.
	 */
	private final long waitingAtNanos;

	private final long confirmedByNanos;

	private final long waitUntilNanos;

	private long lookAtNanos;

	private long attendedNanos;

	private long attendAtNanos;

	/**
	 * Whether the backend has ever confirmed that others are in front.
	 */
	private boolean confirmed;

	/**
	 * Whether the last look has brought no answer, or none yet.
	 */
	private boolean unanswered;

	/**
	 * Whether the backend is asked now. A call that blocks must not be followed by
	 * others, each on one more thread.
	 */
	private final AtomicBoolean looking = new AtomicBoolean();

	private volatile LockQueue.@Nullable Place place;

	/**
	 * Create a place, which is to be entered.
	 * @param waitUntilNanos when the caller's wait is over
	 * @param waits whether the caller counts as waiting already
	 */
	QueuedPlace(LockAttempt attempt, BackendAccess access, long waitUntilNanos, boolean waits, AttemptLoop caller) {
		this.attempt = attempt;
		this.access = access;
		this.caller = caller;
		long now = access.runtime().nanoTime();
		this.attendedNanos = now;
		long waitLeft = Math.max(waitUntilNanos - now, 1);
		this.waitUntilNanos = now + waitLeft;
		// what is not later than now is not due any more
		this.waitingAtNanos = waits ? now : now + Math.min(nextTogether(now) - now, waitLeft);
		this.confirmedByNanos = now + access.providerCalls().commandTimeoutNanos();
		this.lookAtNanos = now + access.lookNanos(attempt);
	}

	private static long nextTogether(long now) {
		return ((now + WAITING_AFTER_NANOS) & -TOGETHER_NANOS) + TOGETHER_NANOS;
	}

	/**
	 * Take the place.
	 * @param queue the queue of the backend
	 * @param tokens how many fencing tokens to ask for
	 * @param giveUpAtNanos when the caller gives up
	 */
	void enter(LockQueue queue, int tokens, long giveUpAtNanos) {
		this.granted.whenComplete((lease, failure) -> {
			cancelTimer();
			try {
				this.caller.ended(this, lease, failure);
			}
			finally {
				// not before: that calls the provider, which may fail or block
				if (failure != null) {
					leaveBackend();
				}
			}
		});
		// before the call, as the call itself may block
		attendLater();
		LeaseRequest request = this.access.request(this.attempt, giveUpAtNanos, tokens);
		this.access.providerCalls().follow(this.granted, () -> {
			LockQueue.Place entered = queue.enqueue(request);
			this.place = entered;
			return entered.granted();
		}, this.caller::onLateAnswer);
		// it may have ended before there was a place to leave
		if (this.granted.isCompletedExceptionally()) {
			leaveBackend();
		}
	}

	/**
	 * Return whether the backend has confirmed that others are in front.
	 */
	boolean isBehindOthers() {
		LockQueue.Place current = this.place;
		try {
			return current != null && current.isBehindOthers();
		}
		catch (Throwable ex) {
			Failures.log(warnings::warn,
					"A place in the queue for lock '{}' failed when it was asked whether others are in front",
					this.attempt.key(), ex);
			return false;
		}
	}

	/**
	 * Leave the queue. Idempotent.
	 */
	void leave() {
		this.granted.cancel(false);
	}

	private void requireConfirmation() {
		if (this.confirmed || isBehindOthers()) {
			this.caller.waitOver(this);
		}
		else {
			this.granted.completeExceptionally(this.access.providerCalls().noAnswer());
		}
	}

	private void leaveBackend() {
		LockQueue.Place current = this.place;
		if (current != null) {
			Guard.run("leaving the queue of a backend", current::leave);
		}
	}

	/**
	 * Do what is due. The next time is set before that, as a provider may block.
	 */
	private void attend() {
		if (this.granted.isDone()) {
			return;
		}
		long before = this.attendedNanos;
		long now = this.access.runtime().nanoTime();
		if (this.attendAtNanos - now > 0) {
			// the template is closed: timers run early then, and a new one at once
			leave();
			return;
		}
		this.attendedNanos = now;
		// a later question may fail, as in a short outage; the place is there
		// nevertheless
		if (!this.confirmed && this.confirmedByNanos - before > 0) {
			this.confirmed = isBehindOthers();
			if (this.confirmed) {
				this.caller.looked(this, true);
			}
		}
		boolean looks = this.lookAtNanos - now <= 0;
		if (looks) {
			this.lookAtNanos = now + this.access.lookNanos(this.attempt);
		}
		try {
			attendLater();
		}
		catch (Throwable ex) {
			// a place that nobody attends to any more must not be waited for
			this.granted.completeExceptionally(ex);
			return;
		}
		if (isDue(this.waitingAtNanos, before, now)) {
			Guard.run("joining those who wait", () -> this.caller.waiting(this));
		}
		if (isDue(this.waitUntilNanos, before, now)) {
			Guard.run("the end of a wait", () -> this.caller.waitOver(this));
		}
		if (isDue(this.confirmedByNanos, before, now)) {
			requireConfirmation();
		}
		if (looks && !this.granted.isDone()) {
			tellWhatTheLastLookSaw();
			look();
		}
	}

	/**
	 * Tell the caller whether the backend still confirms the place, after a look that it
	 * has not answered: the question after that has an answer by then, or has failed too.
	 * That others are in front is no answer otherwise: it is true until a question fails.
	 */
	private void tellWhatTheLastLookSaw() {
		if (!this.confirmed) {
			return;
		}
		boolean answered = !this.looking.get() && isBehindOthers();
		if (this.unanswered) {
			Guard.run("what a look has seen", () -> this.caller.looked(this, answered));
		}
		this.unanswered = !answered;
	}

	private void look() {
		LockQueue.Place current = this.place;
		if (current == null || !this.looking.compareAndSet(false, true)) {
			return;
		}
		Guard.run("asking about a place in a queue", current::lookAgain);
		this.looking.set(false);
	}

	private static boolean isDue(long atNanos, long before, long now) {
		return atNanos - before > 0 && atNanos - now <= 0;
	}

	private void attendLater() {
		long next = this.lookAtNanos;
		for (long each : new long[] { this.waitingAtNanos, this.waitUntilNanos, this.confirmedByNanos }) {
			if (each - this.attendedNanos > 0 && each - next < 0) {
				next = each;
			}
		}
		this.attendAtNanos = next;
		this.access.timers().stepAt(TIMER, this, next, this::attend);
		if (this.granted.isDone()) {
			cancelTimer();
		}
	}

	private void cancelTimer() {
		TIMER.getAndSet(this, Timers.Timer.NONE).cancel();
	}

}
