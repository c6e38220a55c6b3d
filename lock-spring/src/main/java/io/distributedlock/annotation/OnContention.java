package io.distributedlock.annotation;

/**
 * What becomes of a call whose lock others hold for the whole wait time.
 *
 * @since 0.1
 */
public enum OnContention {

	/**
	 * As {@code lock.on-contention} says, which is {@link #THROW} by default.
	 */
	DEFAULT,

	/**
	 * The call ends with {@link io.distributedlock.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method does not run, and the call gives nothing: {@code null}, an empty
	 * {@code Optional}, a completed future without a value, an empty publisher. A method
	 * whose return type has no such value does not start with this.
	 */
	SKIP

}
