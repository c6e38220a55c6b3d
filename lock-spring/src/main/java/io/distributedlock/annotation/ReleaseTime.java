package io.distributedlock.annotation;

/**
 * When the lock of a method is released. It makes a difference only if the method is
 * called inside a transaction of its caller: a transaction that the method itself starts
 * always ends before the lock is released.
 *
 * @since 0.1
 */
public enum ReleaseTime {

	/**
	 * Use the property {@code lock.transaction.release}, which is
	 * {@link #AFTER_TRANSACTION} by default.
	 */
	DEFAULT,

	/**
	 * Release the lock after the caller's transaction has been committed or rolled back,
	 * so that the next owner sees what was written. Before the commit the lease is
	 * checked once more. Without a transaction of the caller, release it after the
	 * method.
	 */
	AFTER_TRANSACTION,

	/**
	 * Release the lock after the method, although the caller's transaction is still open:
	 * the next owner does not see what that has written.
	 */
	AFTER_METHOD

}
