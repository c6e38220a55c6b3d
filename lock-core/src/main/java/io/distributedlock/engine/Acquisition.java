package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * One call's way to a lock: through the local gate, then attempts at the backend until
 * one succeeds or the wait time is over. Between two attempts it sleeps until the backend
 * signals a release, or until it is time to ask anyway. Where the backend queues its
 * waiters a call that may wait takes a place there instead. It has no thread of its own:
 * its steps run on whichever thread brings the news, and none of them blocks.
 */
final class Acquisition {

	private static final long FIRST_DELAY_NANOS = 20_000_000;

	/**
	 * A place in a queue of the backend is kept by a lease too.
	 */
	private static final int LOOKS_PER_LEASE_WHILE_QUEUED = 4;

	private final LockAttempt attempt;

	private final Engine engine;

	private final String lane;

	private final Turn turn;

	private final long waitUntilNanos;

	private final CompletableFuture<Outcome> result = new CompletableFuture<>();

	private final AtomicBoolean finished = new AtomicBoolean();

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.IDLE);

	private final AtomicReference<ReleaseSignal.@Nullable Subscription> subscription = new AtomicReference<>();

	private final AtomicReference<@Nullable Future<?>> timer = new AtomicReference<>();

	private final AtomicReference<LockQueue.@Nullable Place> queued = new AtomicReference<>();

	private volatile boolean inside;

	private volatile boolean registered;

	private volatile @Nullable Future<?> queueTimer;

	private long delayNanos = FIRST_DELAY_NANOS;

	Acquisition(LockAttempt attempt, Engine engine) {
		this.attempt = attempt;
		this.engine = engine;
		this.lane = attempt.describe();
		this.turn = attempt.isGated() ? engine.gate().place(this.lane, this::onTurn) : Turn.FREE;
		this.waitUntilNanos = System.nanoTime() + LockTimes.saturatedNanos(attempt.waitTime());
	}

	CompletableFuture<Outcome> start() {
		if (this.turn.enter()) {
			ask();
		}
		else if (this.attempt.waitTime().isZero()) {
			finish(Outcome.CONTENDED);
		}
		else if (registerAsWaiting()) {
			this.queueTimer = this.engine.schedule(this::onQueueTimeout, remainingWaitNanos());
			if (this.inside || this.finished.get()) {
				cancel(this.queueTimer);
			}
		}
		return this.result;
	}

	/**
	 * End the wait. An attempt that is under way is not waited for: what it brings is
	 * given back.
	 * @param outcome how it ends, unless it has ended otherwise meanwhile
	 * @return how it ended
	 */
	Outcome abandon(Outcome outcome) {
		finish(outcome);
		return this.result.join();
	}

	private void onTurn() {
		this.inside = true;
		cancel(this.queueTimer);
		if (this.finished.get()) {
			this.turn.leave();
		}
		else {
			ask();
		}
	}

	private void onQueueTimeout() {
		if (!this.inside) {
			finish(Outcome.CONTENDED);
		}
	}

	private void onSignal() {
		if (!this.phase.compareAndSet(Phase.ASKING, Phase.SIGNALLED)) {
			ask();
		}
	}

	private void ask() {
		if (this.finished.get() || !this.phase.compareAndSet(Phase.IDLE, Phase.ASKING)) {
			return;
		}
		cancelTimer();
		CompletionStage<? extends @Nullable Lease> answer;
		try {
			if (mayWait() && this.attempt.provider() instanceof LockQueue queue && queue.queues(this.attempt.type())) {
				answer = enqueue(queue);
			}
			else {
				answer = this.attempt.provider().tryAcquire(this.attempt.request(giveUpAtNanos()));
			}
		}
		catch (RuntimeException ex) {
			onFailure(ex);
			return;
		}
		answer.whenComplete((lease, failure) -> {
			try {
				onAnswer(lease, failure);
			}
			catch (RuntimeException | Error ex) {
				finish(Outcome.unavailable(ex));
			}
		});
	}

	/**
	 * A call that may find the crowd too large makes one attempt before it joins it.
	 */
	private boolean mayWait() {
		return !this.attempt.waitTime().isZero() && (this.registered || this.attempt.maxWaiters() == Integer.MAX_VALUE);
	}

	private CompletionStage<Lease> enqueue(LockQueue queue) {
		LockQueue.Place place = queue.enqueue(this.attempt.request(giveUpAtNanos()));
		this.queued.set(place);
		CompletionStage<Lease> granted = place.granted();
		if (this.finished.get()) {
			leaveQueue();
		}
		else if (!granted.toCompletableFuture().isDone() && registerAsWaiting()) {
			lookAgainLater(place);
		}
		return granted;
	}

	private void lookAgainLater(LockQueue.Place place) {
		long remaining = remainingWaitNanos();
		// an unconfirmed place is no contention: the command time-out decides on it
		long interval = Math.min(this.engine.pollNanos(),
				this.attempt.leaseOnBackend().toNanos() / LOOKS_PER_LEASE_WHILE_QUEUED);
		long delay = (remaining > 0) ? Math.min(interval, remaining) : interval;
		this.timer.set(this.engine.schedule(() -> lookAgain(place), delay));
		if (this.finished.get() || this.queued.get() != place) {
			cancelTimer();
		}
	}

	private void lookAgain(LockQueue.Place place) {
		if (this.finished.get() || this.queued.get() != place) {
			return;
		}
		if (remainingWaitNanos() <= 0 && place.isBehindOthers()) {
			finish(Outcome.CONTENDED);
			return;
		}
		place.lookAgain();
		lookAgainLater(place);
	}

	private void onAnswer(@Nullable Lease lease, @Nullable Throwable failure) {
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

	private void onLease(Lease lease) {
		HeldLock lock = new HeldLock(this.attempt, lease, this.turn, this.engine);
		if (!lock.isValid()) {
			this.engine.releaser().discard(lock);
			finish(Outcome.unavailable(LockErrors.noTimeLeft(this.attempt, lease)));
		}
		else if (!this.engine.keeper().track(lock)) {
			this.engine.releaser().discard(lock);
			finish(Outcome.CLOSED);
		}
		else if (!finish(Outcome.acquired(lock))) {
			this.engine.releaser().discard(lock);
		}
	}

	private void onContention() {
		if (remainingWaitNanos() <= 0) {
			finish(Outcome.CONTENDED);
		}
		else if (registerAsWaiting()) {
			boolean signalled = listen();
			askLater(signalled ? this.engine.pollNanos() : nextDelayNanos());
		}
	}

	private void onFailure(Throwable failure) {
		leaveQueue();
		boolean retryable = failure instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!retryable || remainingWaitNanos() <= 0) {
			finish(Outcome.unavailable(failure));
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
			ask();
			return;
		}
		long jittered = delay - ThreadLocalRandom.current().nextLong(delay / 4 + 1);
		cancel(this.timer.getAndSet(this.engine.schedule(this::ask, Math.min(jittered, remainingWaitNanos()))));
		if (this.finished.get()) {
			cancelTimer();
		}
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
			this.subscription.set(signal.listen(this.attempt.key(), this::onSignal));
			if (this.finished.get()) {
				stopListening();
			}
		}
		return true;
	}

	private boolean registerAsWaiting() {
		this.registered = true;
		Outcome refusal = this.engine.waiting().add(this.lane, this.attempt.maxWaiters(), this);
		if (refusal != null) {
			finish(refusal);
			return false;
		}
		if (this.finished.get()) {
			this.engine.waiting().remove(this.lane, this);
			return false;
		}
		return true;
	}

	private boolean finish(Outcome outcome) {
		if (!this.finished.compareAndSet(false, true)) {
			return false;
		}
		if (this.registered) {
			this.engine.waiting().remove(this.lane, this);
		}
		cancel(this.queueTimer);
		cancelTimer();
		stopListening();
		if (outcome.lock() == null) {
			leaveQueue();
			this.turn.leave();
		}
		// last: the caller may come again at once, and must not find its own place taken
		this.result.complete(outcome);
		return true;
	}

	private void cancelTimer() {
		cancel(this.timer.getAndSet(null));
	}

	private void stopListening() {
		ReleaseSignal.Subscription current = this.subscription.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

	private void leaveQueue() {
		LockQueue.Place current = this.queued.getAndSet(null);
		if (current != null) {
			current.leave();
		}
	}

	private long giveUpAtNanos() {
		return this.waitUntilNanos + LockTimes.saturatedNanos(this.engine.commandTimeout());
	}

	private long remainingWaitNanos() {
		return this.waitUntilNanos - System.nanoTime();
	}

	private static void cancel(@Nullable Future<?> future) {
		if (future != null) {
			future.cancel(false);
		}
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
