package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * A call gives no key to lock: a value that the key needs is null, blank, cut inside a
 * character, an empty collection or not in one; or its full key, which a
 * {@link LockKeyLayout} made or which is {@link LockRequest#withExactKey exact}, is one
 * that its provider cannot keep. The work was not run. Such a value often comes from
 * outside of the application; what is refused whatever the values are is another
 * {@link IllegalArgumentException}.
 *
 * @since 0.1
 */
public class InvalidLockKeyException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what is missing and what to do about it
	 * @param cause the cause, {@code null} for none
	 */
	public InvalidLockKeyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
