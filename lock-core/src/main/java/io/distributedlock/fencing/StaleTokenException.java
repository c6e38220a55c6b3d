package io.distributedlock.fencing;

/**
 * A resource has refused a write, because it has seen a higher fencing token: the
 * writer's lease has ended, and a later owner has written. The refused write changed
 * nothing.
 *
 * @since 0.1
 */
public class StaleTokenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * The token of the writer.
	 */
	private final long token;

	/**
	 * The highest token that the resource has seen.
	 */
	private final long highestToken;

	/**
	 * Create an exception for a refused write.
	 * @param resource what was to be written
	 * @param token the token of the writer
	 * @param highestToken the highest token that the resource has seen
	 */
	public StaleTokenException(String resource, long token, long highestToken) {
		super("The write to %s with fencing token %s is refused, since a write with token %s came before. The lock was lost and a later owner has written; do the work again under a new lock."
			.formatted(resource, token, highestToken));
		this.token = token;
		this.highestToken = highestToken;
	}

	/**
	 * Return the token of the writer.
	 * @return the token that is too low
	 */
	public long getToken() {
		return this.token;
	}

	/**
	 * Return the highest token that the resource has seen.
	 * @return the higher token
	 */
	public long getHighestToken() {
		return this.highestToken;
	}

}
