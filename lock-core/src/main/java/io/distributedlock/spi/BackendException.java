package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * A backend could not be asked or did not answer.
 *
 * @since 0.1
 */
public class BackendException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Whether the same request may succeed a moment later.
	 */
	private final boolean retryable;

	/**
	 * Create an exception for a failed request.
	 * @param message what failed; must not contain passwords or owner secrets
	 * @param retryable {@code true} if the same request may succeed a moment later, such
	 * as after a lost connection; {@code false} if somebody has to act first, such as on
	 * a wrong password
	 * @param cause what the client reported
	 */
	public BackendException(String message, boolean retryable, @Nullable Throwable cause) {
		super(message, cause);
		this.retryable = retryable;
	}

	/**
	 * Return whether the same request may succeed a moment later.
	 * @return {@code true} if the engine may try again inside the caller's wait time
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

}
