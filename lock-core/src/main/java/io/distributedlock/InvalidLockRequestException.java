package io.distributedlock;

/**
 * Thrown by a {@link LockTemplate} when it is asked for a lock that it cannot give,
 * whatever the state of the backend: the provider does not exist, lacks a capability or
 * cannot keep such a lease. For a mistake that stops the start of a Spring application,
 * such as one in an annotation, there is {@code InvalidLockSetupException} in
 * {@code io.distributedlock.annotation}. The message says what is wrong and what to do.
 *
 * @since 0.1
 */
public class InvalidLockRequestException extends IllegalArgumentException {

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
	 * @param description what is wrong, a sentence
	 * @param action what to do, a sentence
	 */
	public InvalidLockRequestException(String description, String action) {
		super(description + " " + action);
		this.description = description;
		this.action = action;
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
