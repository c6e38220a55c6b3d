package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call's way to a lock: through the local gate, then attempts at the backend until
 * one succeeds or the wait time is over. Between two attempts it sleeps until the backend
 * signals a release, or until it is time to ask anyway. Where the backend queues its
 * waiters a call that may wait takes a place there instead. It has no thread of its own:
 * its steps run on whichever thread brings the news, and none of them blocks. Whatever
 * happens on the way, it ends with one outcome.
 */
final class Acquisition {

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	private static final long FIRST_DELAY_NANOS = 20_000_000;

	private static final long FIRST_LOOK_NANOS = 1_000_000;

	private final LockAttempt attempt;

	private final Engine engine;

	private final String lane;

	private final Turn turn;

	private final long startNanos;

	private final long waitUntilNanos;

	private final CompletableFuture<Outcome> result = new CompletableFuture<>();

	private final AtomicBoolean finished = new AtomicBoolean();

	private final AtomicBoolean registered = new AtomicBoolean();

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.IDLE);

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> subscription = new AtomicReference<>();

	private final AtomicReference<Timers.@Nullable Timer> askTimer = new AtomicReference<>();

	private final AtomicReference<Timers.@Nullable Timer> waitTimer = new AtomicReference<>();

	private final AtomicReference<@Nullable QueuedPlace> queued = new AtomicReference<>();

	private volatile boolean inside;

	/**
	 * What the backend said last, or that this call has the lock.
	 */
	private volatile @Nullable Outcome lastAnswer;

	private long delayNanos = FIRST_DELAY_NANOS;

	Acquisition(LockAttempt attempt, Engine engine) {
		this.attempt = attempt;
		this.engine = engine;
		this.lane = attempt.lane();
		this.turn = attempt.turns() ? engine.gate().place(this.lane, this::onTurn, this::verdict) : Turn.FREE;
		this.startNanos = engine.nanoTime();
		this.waitUntilNanos = this.startNanos + LockTimes.saturatedNanos(attempt.waitTime());
	}

	long startNanos() {
		return this.startNanos;
	}

	CompletableFuture<Outcome> start() {
		try {
			if (!this.engine.waiting().begin(this)) {
				end(Outcome.CLOSED);
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
			else if (registerAsWaiting()) {
				awaitTurn();
			}
		}
		catch (Throwable ex) {
			end(Outcome.unavailable(ex));
		}
		return this.result;
	}

	/**
	 * End the wait, if it has not ended. An attempt that is under way is not waited for:
	 * what it brings is given back.
	 * @return {@code false} if it had ended otherwise
	 */
	boolean end(Outcome outcome) {
		if (!this.finished.compareAndSet(false, true)) {
			return false;
		}
		Trampoline.run(() -> conclude(outcome));
		return true;
	}

	private void conclude(Outcome outcome) {
		try {
			this.engine.waiting().end(this);
			if (this.registered.compareAndSet(true, false)) {
				this.engine.waiting().leave(this.lane);
			}
			cancel(this.waitTimer);
			cancel(this.askTimer);
			if (outcome.lock() == null || this.attempt.takesTurnsToAsk()) {
				this.turn.leave();
			}
		}
		finally {
			// the caller may come again at once, and must not find its own place taken
			this.result.complete(outcome);
		}
		// the provider is told last: it may fail, or take its time
		stopListening();
		leaveQueue();
	}

	private boolean enterTurn() {
		boolean entered = this.turn.enter();
		if (this.finished.get()) {
			// it was ended meanwhile, by somebody who had no turn to leave yet
			this.turn.leave();
		}
		return entered;
	}

	private void awaitTurn() {
		awaitTurnUntil(this.waitUntilNanos, FIRST_LOOK_NANOS);
	}

	private void awaitTurnUntil(long untilNanos, long lookNanos) {
		setTimer(this.waitTimer, this.engine.timers().stepAt(untilNanos, () -> onTurnTimeout(lookNanos)));
		if (this.inside) {
			cancel(this.waitTimer);
		}
	}

	private void onTurn() {
		this.inside = true;
		cancel(this.waitTimer);
		if (this.finished.get()) {
			this.turn.leave();
			return;
		}
		if (this.engine.waiting().isClosed()) {
			end(Outcome.CLOSED);
			return;
		}
		try {
			if (remainingWaitNanos() <= 0) {
				// the time for an answer has begun when the wait was over
				long until = this.waitUntilNanos + this.engine.questions().commandTimeoutNanos();
				setTimer(this.waitTimer, this.engine.timers().stepAt(until, () -> end(Outcome.UNANSWERED)));
			}
			ask();
		}
		catch (Throwable ex) {
			end(Outcome.unavailable(ex));
		}
	}

	/**
	 * Who is inside may hold the key, or be as far from it as the callers behind: no
	 * answer yet is no contention, and a failure is none. The command time-out decides on
	 * it.
	 */
	private void onTurnTimeout(long lookNanos) {
		if (this.inside) {
			return;
		}
		Outcome verdict = this.turn.verdict();
		long leftNanos = remainingWaitNanos() + this.engine.questions().commandTimeoutNanos();
		if (verdict != null) {
			end(verdict);
		}
		else if (leftNanos <= 0) {
			end(Outcome.UNANSWERED);
		}
		else {
			awaitTurnUntil(this.engine.nanoTime() + Math.min(lookNanos, leftNanos),
					Math.min(lookNanos * 2, FIRST_DELAY_NANOS));
		}
	}

	/**
	 * Return what those behind this call are to be told when their wait is over.
	 */
	private @Nullable Outcome verdict() {
		QueuedPlace place = this.queued.get();
		if (place != null) {
			return place.isBehindOthers() ? Outcome.CONTENDED : null;
		}
		return this.lastAnswer;
	}

	private void onSignal() {
		if (!this.phase.compareAndSet(Phase.ASKING, Phase.SIGNALLED)) {
			Guard.run("a signal of a release", this::ask);
		}
	}

	private void ask() {
		if (this.finished.get() || !this.phase.compareAndSet(Phase.IDLE, Phase.ASKING)) {
			return;
		}
		cancel(this.askTimer);
		if (mayWait() && this.attempt.provider() instanceof LockQueue queue && queue.queues(this.attempt.type())) {
			enqueue(queue);
			return;
		}
		long giveUpAtNanos = this.engine.nanoTime() + this.engine.questions().commandTimeoutNanos();
		this.engine.questions()
			.ask(() -> this.attempt.provider().tryAcquire(this.attempt.request(giveUpAtNanos)), this::onLateLease,
					this::onAnswer);
	}

	/**
	 * A call that may find the crowd too large makes one attempt before it joins it.
	 */
	private boolean mayWait() {
		return !this.attempt.waitTime().isZero()
				&& (this.registered.get() || this.attempt.maxWaiters() == Integer.MAX_VALUE);
	}

	private void enqueue(LockQueue queue) {
		QueuedPlace place = new QueuedPlace(this.attempt, this.engine);
		this.queued.set(place);
		place.granted().whenComplete((lease, failure) -> {
			if (this.queued.compareAndSet(place, null)) {
				onAnswer(lease, failure);
			}
			else if (lease != null) {
				onLateLease(lease);
			}
		});
		long remainingNanos = Math.max(remainingWaitNanos(), 0);
		place.enter(queue, this.engine.nanoTime() + remainingNanos + this.engine.questions().commandTimeoutNanos(),
				() -> onWaitOver(place));
		if (this.finished.get()) {
			leaveQueue();
		}
		else if (this.queued.get() == place && registerAsWaiting()) {
			setTimer(this.waitTimer, this.engine.timers().stepAt(this.waitUntilNanos, () -> onWaitOver(place)));
		}
	}

	/**
	 * A place that the backend has not confirmed is no contention: the command time-out
	 * decides on it.
	 */
	private void onWaitOver(QueuedPlace place) {
		if (this.queued.get() != place || remainingWaitNanos() > 0) {
			return;
		}
		if (place.isBehindOthers()) {
			end(Outcome.CONTENDED);
		}
		else if (remainingWaitNanos() + this.engine.questions().commandTimeoutNanos() <= 0) {
			end(Outcome.UNANSWERED);
		}
		else {
			long again = Math.min(nextDelayNanos(),
					remainingWaitNanos() + this.engine.questions().commandTimeoutNanos());
			setTimer(this.waitTimer,
					this.engine.timers().stepAt(this.engine.nanoTime() + again, () -> onWaitOver(place)));
		}
	}

	private void onAnswer(@Nullable Lease lease, @Nullable Throwable failure) {
		try {
			if (lease != null) {
				onLease(lease);
			}
			else if (failure != null) {
				onFailure(LockErrors.unwrap(failure));
			}
			else {
				onContention();
			}
		}
		catch (Throwable ex) {
			end(Outcome.unavailable(ex));
		}
	}

	private void onLease(Lease lease) {
		this.lastAnswer = Outcome.CONTENDED;
		HeldLock lock;
		try {
			lock = new HeldLock(this.attempt, lease, this.attempt.takesTurnsToAsk() ? Turn.FREE : this.turn,
					this.engine);
		}
		catch (Throwable ex) {
			end(Outcome.unavailable(ex));
			onLateLease(lease);
			return;
		}
		// the caller is told first: to give back may take the provider its time
		if (!lock.isValid()) {
			onFailure(LockErrors.noTimeLeft(this.attempt, lease));
			onLateLease(lease);
		}
		else if (!this.engine.keeper().track(lock)) {
			end(Outcome.CLOSED);
			onLateLease(lease);
		}
		else if (!lock.isValid()) {
			// lost in the moment in which it was acquired
			onFailure(LockErrors.noTimeLeft(this.attempt, lease));
			this.engine.releaser().discard(lock);
		}
		else if (!end(Outcome.acquired(lock))) {
			this.engine.releaser().discard(lock);
		}
	}

	private void onLateLease(@Nullable Lease lease) {
		if (lease != null) {
			this.engine.releaser().giveBackUnheld(this.attempt, lease);
		}
	}

	private void onContention() {
		this.lastAnswer = Outcome.CONTENDED;
		if (remainingWaitNanos() <= 0) {
			end(Outcome.CONTENDED);
		}
		else if (registerAsWaiting() && (!this.attempt.takesTurnsToAsk() || this.inside || isNextToAsk())) {
			boolean signalled = listen();
			askLater(signalled ? this.engine.pollNanos() : nextDelayNanos());
		}
	}

	/**
	 * Join those of this JVM that wait for a permit: one of them asks, and lets the next
	 * one ask when it has got its permit.
	 */
	private boolean isNextToAsk() {
		this.phase.set(Phase.IDLE);
		if (enterTurn()) {
			this.inside = true;
			return true;
		}
		awaitTurn();
		return false;
	}

	private void onFailure(Throwable failure) {
		this.lastAnswer = Outcome.unavailable(failure);
		leaveQueue();
		boolean retryable = failure instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!retryable || remainingWaitNanos() <= 0) {
			end(Outcome.unavailable(failure));
		}
		else if (registerAsWaiting()) {
			askLater(nextDelayNanos());
		}
	}

	private void askLater(long delay) {
		// a release that was signalled while the question was under way: its answer is
		// stale
		Phase before = this.phase.getAndSet(Phase.IDLE);
		if (before == Phase.SIGNALLED) {
			Trampoline.run(this::ask);
			return;
		}
		long jittered = delay - this.engine.runtime().random(delay / 4 + 1);
		long at = this.engine.nanoTime() + Math.min(jittered, Math.max(remainingWaitNanos(), 0));
		setTimer(this.askTimer, this.engine.timers().stepAt(at, this::ask));
	}

	private long nextDelayNanos() {
		long delay = Math.min(this.delayNanos, this.engine.pollNanos());
		this.delayNanos = delay * 3 / 2;
		return delay;
	}

	private boolean listen() {
		if (!(this.attempt.provider() instanceof ReleaseSignal signal)) {
			return false;
		}
		if (this.subscription.get() == null) {
			try {
				this.subscription.set(signal.listen(this.attempt.key(), this::onSignal));
			}
			catch (Throwable ex) {
				logger.warn("Releases of lock '{}' cannot be listened for; it is asked for at intervals",
						this.attempt.key(), ex);
			}
			if (this.finished.get()) {
				stopListening();
			}
		}
		return this.subscription.get() != null;
	}

	private boolean registerAsWaiting() {
		if (!this.registered.get()) {
			if (!this.engine.waiting().join(this.lane, this.attempt.maxWaiters())) {
				end(Outcome.CROWDED);
				return false;
			}
			this.registered.set(true);
			if (this.finished.get() && this.registered.compareAndSet(true, false)) {
				this.engine.waiting().leave(this.lane);
			}
		}
		return !this.finished.get();
	}

	private void setTimer(AtomicReference<Timers.@Nullable Timer> field, Timers.Timer timer) {
		Timers.Timer before = field.getAndSet(timer);
		if (before != null) {
			before.cancel();
		}
		if (this.finished.get()) {
			timer.cancel();
		}
	}

	private static void cancel(AtomicReference<Timers.@Nullable Timer> field) {
		Timers.Timer timer = field.getAndSet(null);
		if (timer != null) {
			timer.cancel();
		}
	}

	private void stopListening() {
		ReleaseSignal.Subscription current = this.subscription.getAndSet(null);
		if (current != null) {
			Guard.run("the end of a subscription", current::close);
		}
	}

	private void leaveQueue() {
		QueuedPlace current = this.queued.getAndSet(null);
		if (current != null) {
			current.leave();
		}
	}

	private long remainingWaitNanos() {
		return this.waitUntilNanos - this.engine.nanoTime();
	}

	private enum Phase {

		/**
		 * Waiting for a turn, a signal or the time to ask anyway.
		 */
		IDLE,

		/**
		 * A question is under way.
		 */
		ASKING,

		/**
		 * A question is under way, and a release was signalled since it was sent.
		 */
		SIGNALLED

	}

}
