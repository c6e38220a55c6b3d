package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * A request to a backend failed, or got no answer.
 * <p>
 * Why: docs/decisions/013-attempts-end-with-their-caller.md
 *
 * @since 0.1
 */
public class BackendException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Whether the same request may succeed soon.
	 */
	private final boolean retryable;

	/**
	 * Create an exception for a failed request.
	 * @param message what failed; without passwords and names of owners
	 * @param retryable {@code true} if the same request may succeed soon, for example
	 * after a lost connection; {@code false} if somebody must act first, for example
	 * because of a wrong password
	 * @param cause what the client of the backend reported
	 */
	public BackendException(String message, boolean retryable, @Nullable Throwable cause) {
		super(message, cause);
		this.retryable = retryable;
	}

	/**
	 * Return whether the same request may succeed soon.
	 * @return {@code true} if the engine may try again within the caller's wait time
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

}
