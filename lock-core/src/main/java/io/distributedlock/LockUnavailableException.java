package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The backend failed or did not answer in time. It is not known whether the lock is free,
 * so the work was not run.
 *
 * @since 0.1
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a backend that failed.
	 * @param key the full key of the lock
	 * @param provider the name of the provider
	 * @param message what failed and what to do about it
	 * @param cause what the backend's client reported, where it did
	 */
	public LockUnavailableException(String key, String provider, String message, @Nullable Throwable cause) {
		super(key, provider, message, cause);
	}

}
