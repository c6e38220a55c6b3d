package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything that can go wrong with a lock. Its three kinds never share a
 * path: {@link LockNotAcquiredException} means that the lock was not available in time,
 * {@link LockUnavailableException} that the backend failed, {@link LockLostException}
 * that a lease ended while its owner still relied on it.
 *
 * @since 0.1
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * The full key of the lock.
	 */
	private final String key;

	/**
	 * The name of the provider.
	 */
	private final String provider;

	LockException(String key, String provider, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
		this.provider = provider;
	}

	/**
	 * Return the key of the lock as the backend knows it: prefix, name and key.
	 * @return the full key
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Return the name of the provider that was asked for the lock.
	 * @return the provider's name, such as {@code redisson}
	 */
	public String getProvider() {
		return this.provider;
	}

}
