package io.distributedlock.annotation;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a Spring application starts, if locks cannot work as it is set up. For a
 * request that a template refuses when it is called, there is
 * {@link io.distributedlock.InvalidLockRequestException} in the engine. The message says
 * what is wrong and what to do.
 *
 * @since 0.1
 */
public class InvalidLockSetupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	/**
	 * What is wrong.
	 */
	private final String description;

	/**
	 * What to do.
	 */
	private final String action;

	/**
	 * Create an exception.
	 * @param description what is wrong; a full stop at its end is added
	 * @param action what to do; a full stop at its end is added
	 * @param cause why, if an exception says so
	 */
	public InvalidLockSetupException(String description, String action, @Nullable Throwable cause) {
		super(sentence(description) + " " + sentence(action), cause);
		this.description = sentence(description);
		this.action = sentence(action);
	}

	private static String sentence(String text) {
		return text.endsWith(".") ? text : text + ".";
	}

	/**
	 * Return what is wrong.
	 * @return the first part of the message
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what to do.
	 * @return the second part of the message
	 */
	public String getAction() {
		return this.action;
	}

}
