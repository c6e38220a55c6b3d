package io.distributedlock.annotation;

/**
 * What happens to a call when others hold the lock for the whole wait time, or too many
 * calls wait for it already.
 *
 * @since 0.1
 */
public enum OnContention {

	/**
	 * Use the property {@code lock.on-contention}, which is {@link #THROW} by default.
	 */
	DEFAULT,

	/**
	 * The call fails with {@link io.distributedlock.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method does not run, and the call returns an empty value: {@code null}, an
	 * empty {@code Optional}, a completed future without a value, or an empty publisher.
	 * The application does not start if the return type of the method has no empty value,
	 * as a primitive type.
	 */
	SKIP

}
