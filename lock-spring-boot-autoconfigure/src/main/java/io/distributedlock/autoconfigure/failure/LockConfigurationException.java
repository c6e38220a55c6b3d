package io.distributedlock.autoconfigure.failure;

import org.jspecify.annotations.Nullable;

/**
 * The configuration of an application is not sufficient or not valid for locks. The
 * message says what is wrong, {@link #getAction()} what to do.
 *
 * @since 0.1
 */
public class LockConfigurationException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	/**
	 * What to do.
	 */
	private final String action;

	/**
	 * Create an exception.
	 * @param description what is wrong
	 * @param action what to do
	 * @param cause the cause, if there is one
	 */
	public LockConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	/**
	 * Return what to do.
	 * @return advice for the developer
	 */
	public String getAction() {
		return this.action;
	}

}
