package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockLostException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lease that this JVM has, from the answer of the backend to its release or loss,
 * with the count of re-entrant holders that share it.
 */
final class HeldLock {

	private static final Logger logger = LoggerFactory.getLogger(HeldLock.class);

	private static final long MAX_BATCH_WINDOW_NANOS = 50_000_000;

	private static final int RETRIES_PER_LEASE = 10;

	private final LockAttempt attempt;

	private final Lease lease;

	private final Turn turn;

	private final Executor callbacks;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final AtomicInteger holders = new AtomicInteger(1);

	private final ReentrantLock lossLock = new ReentrantLock();

	private final List<Consumer<LockLostException>> lossCallbacks = new ArrayList<>(0);

	private @Nullable LockLostException loss;

	/**
	 * The end of a lease of explicit length.
	 */
	private final long ceilingNanos;

	private volatile LeaseTerm term;

	private volatile long renewAtNanos;

	HeldLock(LockAttempt attempt, Lease lease, Turn turn, Executor callbacks) {
		this.attempt = attempt;
		this.lease = lease;
		this.turn = turn;
		this.callbacks = callbacks;
		this.term = attempt.usable(lease.term());
		this.ceilingNanos = this.term.startNanos() + attempt.leaseTime().toNanos();
		this.renewAtNanos = this.term.startNanos() + this.term.granted().toNanos() / 3;
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	String key() {
		return this.attempt.key();
	}

	LockProvider provider() {
		return this.attempt.provider();
	}

	Lease lease() {
		return this.lease;
	}

	long deadlineNanos() {
		return this.term.deadlineNanos();
	}

	boolean isValid() {
		return this.state.get() == State.HELD && remainingNanos() > 0;
	}

	long remainingNanos() {
		return (this.state.get() == State.HELD) ? Math.max(0, deadlineNanos() - System.nanoTime()) : 0;
	}

	/**
	 * Return whether the last holder has left.
	 */
	boolean isLetGo() {
		return this.holders.get() == 0;
	}

	/**
	 * Count one more holder of the same owner.
	 * @return {@code false} if the last holder has left already
	 */
	boolean enter() {
		return this.holders.getAndUpdate((count) -> (count == 0) ? 0 : count + 1) > 0;
	}

	/**
	 * Count one holder less.
	 * @return {@code true} if it was the last one, who has to release the lease
	 */
	boolean exit() {
		return this.holders.getAndUpdate((count) -> (count == 0) ? 0 : count - 1) == 1;
	}

	/**
	 * Return whether a renewal can bring more time: always for a lease that is kept
	 * alive; for one of explicit length only if the backend has granted less than that.
	 */
	private boolean isRenewable() {
		return this.attempt.renewed() || this.term.startNanos() + this.term.granted().toNanos() - this.ceilingNanos < 0;
	}

	/**
	 * Return for how long to renew.
	 */
	LeaseRenewal renewal(long now) {
		Duration wanted = this.attempt.leaseOnBackend();
		if (!this.attempt.renewed()) {
			wanted = LockTimes.wholeMillis(Duration.ofNanos(Math.max(this.ceilingNanos - now, 1)))
				.plus(this.attempt.lockDelay());
		}
		return new LeaseRenewal(this.lease, wanted);
	}

	/**
	 * Return when the keeper has to look at this lease again.
	 */
	long nextEventNanos() {
		long deadline = deadlineNanos();
		return (isRenewable() && this.renewAtNanos - deadline < 0) ? this.renewAtNanos : deadline;
	}

	/**
	 * Return whether to renew now, or so soon that it is sent with those that are due
	 * now. The window is shorter than the delay after a failure, which would be none
	 * otherwise.
	 */
	boolean isRenewalDue(long now) {
		return isRenewable() && this.renewAtNanos - now <= Math.min(MAX_BATCH_WINDOW_NANOS,
				this.attempt.leaseTime().toNanos() / (2 * RETRIES_PER_LEASE));
	}

	/**
	 * Set when to renew next if no answer to a renewal comes. An answer moves it.
	 */
	void renewalSent(long now) {
		this.renewAtNanos = now + this.attempt.leaseTime().toNanos() / 3;
	}

	void renewed(LeaseTerm granted) {
		LeaseTerm newTerm = this.attempt.usable(granted);
		// answers may overtake each other: the renewal that was sent last counts
		if (newTerm.startNanos() - this.term.startNanos() > 0) {
			this.term = newTerm;
			this.renewAtNanos = newTerm.startNanos() + newTerm.granted().toNanos() / 3;
		}
	}

	void renewalFailed(long now) {
		long retryDelay = Math.min(this.attempt.leaseTime().toNanos() / RETRIES_PER_LEASE, 1_000_000_000L);
		this.renewAtNanos = now + retryDelay;
	}

	/**
	 * End the hold on the caller's demand.
	 * @return {@code false} if it had ended already
	 */
	boolean markReleased() {
		return this.state.compareAndSet(State.HELD, State.RELEASED);
	}

	/**
	 * End the hold against the caller's will, and tell everyone who asked to be told. The
	 * gate opens: other threads of this JVM have the same right to the key as other
	 * nodes.
	 */
	void lose(String reason) {
		if (!this.state.compareAndSet(State.HELD, State.LOST)) {
			return;
		}
		LockLostException exception = LockErrors.lost(this.attempt, reason);
		logger.warn(exception.getMessage());
		List<Consumer<LockLostException>> toTell;
		this.lossLock.lock();
		try {
			this.loss = exception;
			toTell = List.copyOf(this.lossCallbacks);
		}
		finally {
			this.lossLock.unlock();
		}
		leaveGate();
		toTell.forEach((callback) -> tell(callback, exception));
	}

	void onLost(Consumer<LockLostException> callback) {
		LockLostException happened;
		this.lossLock.lock();
		try {
			happened = this.loss;
			if (happened == null) {
				this.lossCallbacks.add(callback);
			}
		}
		finally {
			this.lossLock.unlock();
		}
		if (happened != null) {
			tell(callback, happened);
		}
	}

	void ensureHeld() {
		if (!isValid()) {
			State ended = this.state.get();
			String reason = (ended == State.RELEASED) ? "it was given back before" : (ended == State.LOST)
					? "see the cause" : "its lease of %s has ended".formatted(LockTimes.text(this.term.granted()));
			throw LockErrors.lost(this.attempt, reason, this.loss);
		}
	}

	void leaveGate() {
		this.turn.leave();
	}

	Duration granted() {
		return this.term.granted();
	}

	private void tell(Consumer<LockLostException> callback, LockLostException exception) {
		try {
			this.callbacks.execute(() -> {
				try {
					callback.accept(exception);
				}
				catch (RuntimeException | Error ex) {
					logger.error("A callback for the loss of lock '{}' failed", key(), ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.error("A callback for the loss of lock '{}' was not called: the executor takes no more", key(), ex);
		}
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
