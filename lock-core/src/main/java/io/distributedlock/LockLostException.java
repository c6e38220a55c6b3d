package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The lease of a lock ended while its holder still relied on it: another owner may hold
 * the lock now.
 *
 * @since 0.1
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a lease that ended early.
	 * @param key the full key of the lock
	 * @param provider the name of the provider
	 * @param message how the lease ended and what to do about it
	 * @param cause the cause, where there is one
	 */
	public LockLostException(String key, String provider, String message, @Nullable Throwable cause) {
		super(key, provider, message, cause);
	}

}
