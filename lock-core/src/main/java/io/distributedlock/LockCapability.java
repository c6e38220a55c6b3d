package io.distributedlock;

/**
 * What only some backends have. A provider declares its capabilities; asking one for what
 * it does not declare is an error, never silently skipped.
 *
 * @since 0.1
 */
public enum LockCapability {

	/**
	 * Waiters are woken by the backend, by a signal or because it queues them, instead of
	 * having to ask again and again.
	 */
	BLOCKING_WAIT,

	/**
	 * Every lease carries a token that is higher than that of every earlier lease of the
	 * same key.
	 */
	FENCING,

	/**
	 * Waiters of all nodes can be served in the order in which they came:
	 * {@link LockType#FAIR}.
	 */
	FAIR,

	/**
	 * Several readers can hold a key together: {@link LockType#READ} and
	 * {@link LockType#WRITE}.
	 */
	SHARED,

	/**
	 * A number of owners can hold a key together: {@link LockType#SEMAPHORE}.
	 */
	SEMAPHORE,

	/**
	 * A lease ends at the millisecond asked for, not at a rounded or negotiated time.
	 */
	EXACT_EXPIRY,

	/**
	 * A lease whose holder died keeps the key until its term is over, so that the key can
	 * stay unavailable for a while after the holder had to stop.
	 */
	LOCK_DELAY,

	/**
	 * A lock that was acquired is still held after the backend lost its leading server.
	 */
	SURVIVES_FAILOVER

}
