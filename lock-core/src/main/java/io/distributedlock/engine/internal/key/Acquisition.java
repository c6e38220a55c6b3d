package io.distributedlock.engine.internal.key;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.engine.internal.event.ObservedCall;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.lease.LeaseReleaser;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.event.LockEvent;
import io.distributedlock.spi.Lease;
import org.jspecify.annotations.Nullable;

/**
 * How one call acquires a lock. It waits for its {@link Turn} among the calls of this
 * JVM, and its {@link AttemptLoop} asks the backend until it has the lock or the wait
 * time is over. It has no thread of its own: each step runs on the thread that brings an
 * answer, a signal or a turn, and no step blocks. It ends with exactly one outcome.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md,
 * docs/decisions/013-attempts-end-with-their-caller.md
 */
public final class Acquisition extends CallUnderWay {

	private static final AtomicReferenceFieldUpdater<Acquisition, @Nullable AttemptTimers> ATTEMPT_TIMERS = AtomicReferenceFieldUpdater
		.newUpdater(Acquisition.class, AttemptTimers.class, "attemptTimers");

	private static final AtomicIntegerFieldUpdater<Acquisition> WAITING = AtomicIntegerFieldUpdater
		.newUpdater(Acquisition.class, "waiting");

	private final Shared shared;

	private final ObservedCall observed;

	private final long waitUntilNanos;

	private final CompletableFuture<AcquisitionOutcome> result = new CompletableFuture<>();

	private volatile int waiting;

	private final AttemptLoop attempts;

	private final Turn turn;

	/**
	 * Created for a call that does not get its lock at once.
	 */
	private volatile @Nullable AttemptTimers attemptTimers;

	/**
	 * Begin on the thread of the caller.
	 * @param waitedNanos how much of the wait time other locks of the call have taken
	 * @param caller the locks that the caller holds
	 * @param thread this thread if it waits for the outcome, {@code null} otherwise
	 * @param observed the call as its observers see it
	 */
	public Acquisition(LockAttempt attempt, long waitedNanos, Shared shared, LockContext caller,
			@Nullable Thread thread, ObservedCall observed) {
		super(attempt, caller, thread, shared.runtime().nanoTime());
		this.shared = shared;
		this.observed = observed;
		this.waitUntilNanos = startNanos() + LockTimes.saturatedNanos(attempt.waitTime()) - waitedNanos;
		this.attempts = new AttemptLoop(this, attempt, shared.access());
		this.turn = new Turn(this, shared, this.attempts);
	}

	long waitUntilNanos() {
		return this.waitUntilNanos;
	}

	/**
	 * Return whether it makes more than one attempt.
	 */
	public boolean hasTimeToWait() {
		return this.waitUntilNanos - startNanos() > 0;
	}

	Turn turn() {
		return this.turn;
	}

	@Override
	boolean isWaiting() {
		return this.waiting != 0;
	}

	public CompletableFuture<AcquisitionOutcome> start() {
		try {
			if (this.shared.calls().begin(this)) {
				this.turn.begin();
			}
			else {
				end(AcquisitionOutcome.CLOSED);
			}
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
		}
		return this.result;
	}

	@Override
	void conclude(AcquisitionOutcome outcome) {
		try {
			if (!this.attempts.isUnanswered()) {
				this.shared.calls().end(this);
			}
			leaveWaiting();
			ifBegun(AttemptTimers::end);
			this.turn.end(outcome.lock() != null);
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
					(now) -> new LockEvent.Acquired(attempt().info(), now, waitedUntil(now)));
		}
		else if (reason != null) {
			listeners.tell(LockEvent.NotAcquired.class,
					(now) -> new LockEvent.NotAcquired(attempt().info(), now, waitedUntil(now), reason));
		}
		else {
			listeners.tell(LockEvent.Unavailable.class, (now) -> new LockEvent.Unavailable(attempt().info(), now,
					waitedUntil(now), outcome.requiredFailure()));
		}
	}

	private Duration waitedUntil(long nanos) {
		return Duration.ofNanos(nanos - startNanos());
	}

	/**
	 * End the acquisition because its wait is over and the backend has not answered.
	 */
	public void endUnanswered() {
		end(AcquisitionOutcome.unavailable(this.shared.providerCalls().noAnswer()));
	}

	@Override
	boolean isInVain(boolean asking) {
		return this.turn.isInVain(asking);
	}

	/**
	 * Take a lock over from the call before it.
	 */
	void takeOver(HeldLock before) {
		giveOrRelease(before.lease(), () -> before.successor(attempt()));
	}

	/**
	 * Make a lock of the lease that the backend has granted.
	 */
	void onLease(Lease lease) {
		giveOrRelease(lease, () -> new HeldLock(attempt(), lease, this.turn.passage(), this.shared.keeper()));
	}

	/**
	 * Give the caller a lock, or release it.
	 */
	private void giveOrRelease(Lease lease, Supplier<HeldLock> made) {
		HeldLock lock;
		try {
			lock = made.get();
		}
		catch (Throwable ex) {
			end(AcquisitionOutcome.unavailable(ex));
			onLateLease(lease);
			return;
		}
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
		lock.calledBy(thread(), this.observed);
		// a template that closes takes all locks back when it has ended the calls
		if (this.shared.calls().isClosed() || !this.shared.keeper().track(lock)) {
			end(AcquisitionOutcome.CLOSED);
			return false;
		}
		if (!lock.isValid() || !lock.begin()) {
			// the answer came late, or it was lost just now: this call is in front still,
			// and may ask again
			this.attempts.onFailure(LockErrors.noTimeLeft(attempt(), lock.lease()));
			return false;
		}
		this.turn.hold(lock);
		return end(AcquisitionOutcome.acquired(lock));
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
			if (!this.shared.keys().join(attempt().id(), attempt().maxWaiters())) {
				end(AcquisitionOutcome.CROWDED);
			}
			else if (!WAITING.compareAndSet(this, 0, 1)) {
				// another thread has counted this call
				this.shared.keys().part(attempt().id());
			}
			else {
				if (isOver()) {
					leaveWaiting();
				}
				this.shared.listeners()
					.tell(LockEvent.Waiting.class, (now) -> new LockEvent.Waiting(attempt().info(), now));
			}
		}
		return !isOver();
	}

	private void leaveWaiting() {
		if (isWaiting() && WAITING.compareAndSet(this, 1, 0)) {
			this.shared.keys().part(attempt().id());
		}
	}

	/**
	 * End the call, whose wait is over, by what is known then. If nothing is known, look
	 * again soon, at most until the command time-out is over as well.
	 * @param known how it ends
	 * @param pauseNanos when to look again
	 */
	void endWait(@Nullable AcquisitionOutcome known, long pauseNanos, Runnable look) {
		long leftNanos = remainingWaitNanos() + this.shared.providerCalls().commandTimeoutNanos();
		if (known != null) {
			end(known);
		}
		else if (leftNanos <= 0) {
			endUnanswered();
		}
		else {
			attemptTimers().lookAt(this.shared.runtime().nanoTime() + Math.min(pauseNanos, leftNanos), look);
		}
	}

	/**
	 * Return the timers of this call, created when it needs the first.
	 */
	AttemptTimers attemptTimers() {
		AttemptTimers known = this.attemptTimers;
		if (known != null) {
			return known;
		}
		AttemptTimers created = new AttemptTimers(this.shared.timers(), this);
		return ATTEMPT_TIMERS.compareAndSet(this, null, created) ? created : attemptTimers();
	}

	void endPause() {
		ifBegun(AttemptTimers::endPause);
	}

	void endLook() {
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
