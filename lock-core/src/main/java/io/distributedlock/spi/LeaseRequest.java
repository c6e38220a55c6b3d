package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;

/**
 * One attempt to acquire a lock, as the engine asks a provider for it.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @param key the full key, at most 200 bytes in UTF-8: printable ASCII without white
 * space, braces and slashes. A provider with {@link LockCapability#ANY_KEY} gets any text
 * without control characters; if it has braces, then a hash tag of a Redis cluster
 * @param leaseTime how long the lease is to run, in whole milliseconds, at least one
 * @param type the lock type
 * @param permits how many owners a {@link LockType#SEMAPHORE} admits, 1 for other types
 * @param giveUpAtNanos the {@link System#nanoTime()} from which nobody waits for the
 * answer any more. From then on a provider sends nothing for this attempt except the
 * removal of its owner: no retry, no command that waited for a connection
 * @param tokens how many fencing tokens to grant at once, at least one: as many callers
 * of this JVM may get the lock one after the other before it is released. A provider
 * whose backend cannot count in blocks ignores it; see {@link Lease#fencingTokens()}
 * @param lookInterval how often the engine asks about a place in a queue of the backend.
 * A place about which nobody has asked for a few of these intervals is dead
 * @param lockDelay the part of the lease time on which the holder does not rely. A
 * provider that first grants less than the lease time grants more than this
 * @param interopPolling how often code of another library may ask for the key, which
 * leaves no trace while it waits; zero if there is none. A provider that hands locks over
 * then leaves them free now and then, for longer than this
 * @since 0.1
 */
public record LeaseRequest(String key, Duration leaseTime, LockType type, int permits, long giveUpAtNanos, int tokens,
		Duration lookInterval, Duration lockDelay, Duration interopPolling) {

	/**
	 * A quarter of the range of the clock, 73 years, so that differences between instants
	 * do not overflow.
	 */
	private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

	/**
	 * Four questions in the time of a lease leave room for three that are lost.
	 */
	private static final int LOOKS_PER_LEASE = 4;

	/**
	 * Create a request without a lock delay, for a key that only this library asks for.
	 * @param key the full key
	 * @param leaseTime how long the lease is to run
	 * @param type the lock type
	 * @param permits how many owners a semaphore admits, 1 for other types
	 * @param giveUpAtNanos the {@link System#nanoTime()} from which nobody waits for the
	 * answer any more
	 * @param tokens how many fencing tokens to grant at once
	 * @param lookInterval how often the engine asks about a place in a queue of the
	 * backend
	 */
	public LeaseRequest(String key, Duration leaseTime, LockType type, int permits, long giveUpAtNanos, int tokens,
			Duration lookInterval) {
		this(key, leaseTime, type, permits, giveUpAtNanos, tokens, lookInterval, Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Create a request for one token, with a place about which the engine asks four times
	 * per lease time.
	 * @param key the full key
	 * @param leaseTime how long the lease is to run
	 * @param type the lock type
	 * @param permits how many owners a semaphore admits, 1 for other types
	 * @param giveUpAtNanos the {@link System#nanoTime()} from which nobody waits for the
	 * answer any more
	 */
	public LeaseRequest(String key, Duration leaseTime, LockType type, int permits, long giveUpAtNanos) {
		this(key, leaseTime, type, permits, giveUpAtNanos, 1, leaseTime.dividedBy(LOOKS_PER_LEASE));
	}

	/**
	 * Create a request for a lock that is no semaphore, which waits for the answer
	 * without end.
	 * @param key the full key
	 * @param leaseTime how long the lease is to run
	 * @param type the lock type
	 */
	public LeaseRequest(String key, Duration leaseTime, LockType type) {
		this(key, leaseTime, type, 1, System.nanoTime() + NEVER_NANOS);
	}

	/**
	 * Return how long the caller still waits for the answer.
	 * @return the time in nanoseconds; zero or negative once the caller has given up
	 */
	public long remainingNanos() {
		return this.giveUpAtNanos - System.nanoTime();
	}

}
