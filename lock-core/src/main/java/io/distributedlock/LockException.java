package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The root of the exceptions of locks. There are three: {@link LockNotAcquiredException}
 * means that others held the lock, or that the wait ended for another reason,
 * {@link LockUnavailableException} that the backend failed, {@link LockLostException}
 * that the lease ended while its holder still relied on it.
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
	 * Return the full key of the lock, as the backend sees it: prefix, name and key.
	 * @return the full key
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Return the name of the lock's provider.
	 * @return the provider's name, such as {@code redisson}
	 */
	public String getProvider() {
		return this.provider;
	}

}
