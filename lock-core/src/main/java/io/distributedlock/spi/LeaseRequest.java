package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockType;

/**
 * One attempt to get a lock, as the engine asks a provider for it.
 *
 * @param key the full key, already escaped and bounded in length: printable ASCII without
 * white space, braces and slashes
 * @param leaseTime how long the lease shall run, at least one millisecond and a whole
 * number of them
 * @param type the kind of lock
 * @param permits how many owners a {@link LockType#SEMAPHORE} admits, 1 for other kinds
 * @param giveUpAtNanos the {@link System#nanoTime()} at which nobody waits for the answer
 * any more. From then on a provider sends nothing for this attempt but what removes its
 * owner: no retry, no second half of an exchange, nothing that waited for a connection
 * @since 0.1
 */
public record LeaseRequest(String key, Duration leaseTime, LockType type, int permits, long giveUpAtNanos) {

	/**
	 * A quarter of the range of the clock: far enough to be never, and near enough for
	 * differences of instants not to overflow.
	 */
	private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

	/**
	 * Ask for a lock that is no semaphore, and wait for the answer without end.
	 * @param key the full key
	 * @param leaseTime how long the lease shall run
	 * @param type the kind of lock
	 */
	public LeaseRequest(String key, Duration leaseTime, LockType type) {
		this(key, leaseTime, type, 1, System.nanoTime() + NEVER_NANOS);
	}

	/**
	 * Return how long the caller still waits for the answer.
	 * @return the time in nanoseconds, zero or negative once it has given up
	 */
	public long remainingNanos() {
		return this.giveUpAtNanos - System.nanoTime();
	}

}
