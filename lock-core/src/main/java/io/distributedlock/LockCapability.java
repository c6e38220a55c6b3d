package io.distributedlock;

/**
 * What only some backends can do. A provider declares its capabilities. A request for a
 * capability that its provider does not declare fails; it never runs without.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 *
 * @since 0.1
 */
public enum LockCapability {

	/**
	 * The backend wakes waiters, by a signal or because it keeps a queue. Without this
	 * capability waiters poll.
	 */
	BLOCKING_WAIT,

	/**
	 * Every lease carries a fencing token, which is higher than that of every earlier
	 * lease of the same key. Permits of a semaphore carry none.
	 */
	FENCING,

	/**
	 * Waiters of all nodes can be served in the order of their arrival:
	 * {@link LockType#FAIR}.
	 */
	FAIR,

	/**
	 * Several readers can hold a key together: {@link LockType#READ} and
	 * {@link LockType#WRITE}.
	 */
	SHARED,

	/**
	 * A limited number of owners can hold a key together: {@link LockType#SEMAPHORE}.
	 */
	SEMAPHORE,

	/**
	 * A lease ends at the requested millisecond, and not at a rounded or negotiated time.
	 */
	EXACT_EXPIRY,

	/**
	 * The lease of a holder that died keeps the key until its term ends. So the key can
	 * stay unavailable for a time after the holder had to stop.
	 */
	LOCK_DELAY,

	/**
	 * A lock that was acquired is still held after the backend has lost its leading
	 * server.
	 */
	SURVIVES_FAILOVER,

	/**
	 * The full key may be any text of up to 200 bytes in UTF-8 without control
	 * characters; braces only as a hash tag. Without this capability it is printable
	 * ASCII without white space, braces and slashes, as that of
	 * {@link LockKeyLayout#DEFAULT} always is.
	 */
	ANY_KEY

}
