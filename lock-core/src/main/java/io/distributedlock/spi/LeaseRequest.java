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
 * @since 0.1
 */
public record LeaseRequest(String key, Duration leaseTime, LockType type, int permits) {

	/**
	 * Ask for a lock that is no semaphore.
	 * @param key the full key
	 * @param leaseTime how long the lease shall run
	 * @param type the kind of lock
	 */
	public LeaseRequest(String key, Duration leaseTime, LockType type) {
		this(key, leaseTime, type, 1);
	}

}
