package io.distributedlock.engine.internal.request;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.event.LockInfo;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;

/**
 * A request for one lock with every default filled in.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 *
 * @param name the name of the request, empty if it has none
 * @param id the key among the calls of this JVM
 * @param provider the provider to ask
 * @param type the lock type
 * @param permits how many owners a semaphore admits
 * @param waitTime how long to wait
 * @param waitThroughOutage whether to wait on while the backend fails
 * @param leaseTime the length of the lease in whole milliseconds
 * @param autoRenewed whether the lease is renewed until the lock is released
 * @param lockDelay how long the key stays unavailable after a lease that expired: the
 * backend is asked for a lease that is longer by this, on which the holder does not rely
 * @param maxWaiters how many calls of this JVM may wait for the key
 * @param holdAtLeast the minimum hold time
 * @param reentrant whether the caller wants to enter again
 */
public record LockAttempt(String name, KeyId id, LockProvider provider, LockType type, int permits, Duration waitTime,
		boolean waitThroughOutage, Duration leaseTime, boolean autoRenewed, Duration lockDelay, int maxWaiters,
		Duration holdAtLeast, boolean reentrant) {

	/**
	 * Return the full key.
	 */
	public String key() {
		return this.id.key();
	}

	/**
	 * Return the name that the provider had when the template was built: it may fail to
	 * tell it later.
	 */
	public String providerName() {
		return this.id.provider();
	}

	// providers are told apart by identity
	@SuppressWarnings("ReferenceEquality")
	public boolean isFor(LockProvider other) {
		return this.provider == other;
	}

	public boolean waitsWithoutEnd() {
		return this.waitTime.compareTo(LockTimes.FOREVER) >= 0;
	}

	/**
	 * Return what listeners and observers are told of this lock.
	 */
	public LockInfo info() {
		return new LockInfo(this.name, key(), providerName(), this.type);
	}

	public Duration leaseOnBackend() {
		return this.lockDelay.isZero() ? this.leaseTime : this.leaseTime.plus(this.lockDelay);
	}

	/**
	 * Return what the holder may rely on.
	 * @param granted what the backend granted
	 */
	public LeaseTerm usable(LeaseTerm granted) {
		// beyond this an instant on the clock would overflow
		Duration bounded = LockTimes.saturated(granted.granted());
		if (bounded.equals(granted.granted()) && this.lockDelay.isZero()) {
			return granted;
		}
		return new LeaseTerm(granted.startNanos(), bounded.minus(this.lockDelay));
	}

	/**
	 * Return when the time of a holder begins: with the term of its lease. If the term is
	 * shorter than requested, as that of a grant that the owner has yet to confirm by a
	 * renewal, it may have begun long before, and the holder's time begins now.
	 */
	public long beganNanos(LeaseTerm granted, long now) {
		return (granted.granted().compareTo(leaseOnBackend()) >= 0) ? granted.startNanos() : now;
	}

	/**
	 * Return whether calls of this JVM take turns: one of them asks the backend, or has
	 * the lock.
	 */
	public boolean takesTurns() {
		boolean alone = this.type == LockType.EXCLUSIVE || this.type == LockType.WRITE;
		return (alone && !(this.provider instanceof UnlockedProvider)) || takesTurnsToAsk();
	}

	/**
	 * Return whether a call has its turn only while it asks the backend, and not while it
	 * holds what it got: semaphores without a queue on the backend.
	 */
	public boolean takesTurnsToAsk() {
		return this.type == LockType.SEMAPHORE
				&& !(this.provider instanceof LockQueue queue && queue.queues(LockType.SEMAPHORE));
	}

	/**
	 * Return whether the holder may re-enter without asking the backend. Each call for a
	 * permit takes one of its own.
	 */
	public boolean isReentrant() {
		return this.reentrant && this.type != LockType.SEMAPHORE;
	}

	/**
	 * Return whether a holder of one lock type may re-enter for this one.
	 */
	public boolean isCoveredBy(LockType held) {
		return held != LockType.READ || this.type == LockType.READ;
	}

}
