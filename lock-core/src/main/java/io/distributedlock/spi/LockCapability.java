package io.distributedlock.spi;

/**
 * What only some backends have. A provider declares its capabilities; asking one for what
 * it does not declare is an error, never silently skipped.
 *
 * @since 0.1
 */
public enum LockCapability {

	/**
	 * Every lease carries a token that is higher than that of every earlier lease of the
	 * same key.
	 */
	FENCING,

	/**
	 * A lease ends at the millisecond asked for, not at a rounded or negotiated time.
	 */
	EXACT_EXPIRY,

	/**
	 * Waiters are told of a release instead of having to ask again and again.
	 */
	RELEASE_SIGNAL,

	/**
	 * A lock that was acquired is still held after the backend lost its leading server.
	 */
	SURVIVES_FAILOVER

}
