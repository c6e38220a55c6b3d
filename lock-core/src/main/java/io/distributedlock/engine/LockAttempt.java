package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;

/**
 * A request with every default filled in.
 *
 * @param key the full key
 * @param provider the backend to ask
 * @param type the kind of lock
 * @param permits how many owners a semaphore admits
 * @param waitTime how long to wait
 * @param leaseTime the length of the lease in whole milliseconds
 * @param renewed whether the lease is kept alive
 * @param lockDelay how long the key stays unavailable after a lease that ended without a
 * release: the backend is asked for so much more, and the holder does not rely on it
 * @param maxWaiters how many calls of this JVM may wait for the key
 * @param holdAtLeast how long the key is kept even if it is given back earlier
 */
record LockAttempt(String key, LockProvider provider, LockType type, int permits, Duration waitTime, Duration leaseTime,
		boolean renewed, Duration lockDelay, int maxWaiters, Duration holdAtLeast) {

	/**
	 * Return the same attempt with less time to wait.
	 */
	LockAttempt waitingFor(Duration remaining) {
		return new LockAttempt(this.key, this.provider, this.type, this.permits, remaining, this.leaseTime,
				this.renewed, this.lockDelay, this.maxWaiters, this.holdAtLeast);
	}

	Duration leaseOnBackend() {
		return this.lockDelay.isZero() ? this.leaseTime : this.leaseTime.plus(this.lockDelay);
	}

	/**
	 * Return what the holder may rely on.
	 * @param granted what the backend granted
	 */
	LeaseTerm usable(LeaseTerm granted) {
		// no backend keeps a lease for so long that its end cannot be told
		Duration bounded = LockTimes.saturated(granted.granted());
		return new LeaseTerm(granted.startNanos(), bounded.minus(this.lockDelay));
	}

	LeaseRequest request(long giveUpAtNanos) {
		return new LeaseRequest(this.key, leaseOnBackend(), this.type, this.permits, giveUpAtNanos);
	}

	/**
	 * Return whether callers of this JVM take turns.
	 */
	boolean turns() {
		return this.type == LockType.EXCLUSIVE || this.type == LockType.WRITE || takesTurnsToAsk();
	}

	/**
	 * Return whether those who wait take turns in asking the backend, and do not keep
	 * their turn while they hold what they got.
	 */
	boolean takesTurnsToAsk() {
		return this.type == LockType.SEMAPHORE
				&& !(this.provider instanceof LockQueue queue && queue.queues(LockType.SEMAPHORE));
	}

	/**
	 * Return whether the holder may enter again without asking the backend. Permits are
	 * counted: each call takes one.
	 */
	boolean isReentrant() {
		return this.type != LockType.SEMAPHORE;
	}

	/**
	 * Return whether whoever holds a lock of one kind may enter it again for another.
	 */
	boolean isCoveredBy(LockType held) {
		return held != LockType.READ || this.type == LockType.READ;
	}

	/**
	 * Return what the attempt competes for. A semaphore has nothing to do with a lock of
	 * the same key, and a call that asks for fewer permits is no reason to keep one back
	 * that asks for more.
	 */
	String lane() {
		String kind = (this.type == LockType.SEMAPHORE) ? " permits " + this.permits + " " : " ";
		return this.provider.name() + kind + this.key;
	}

}
