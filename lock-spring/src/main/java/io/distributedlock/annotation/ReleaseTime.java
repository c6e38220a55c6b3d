package io.distributedlock.annotation;

/**
 * When the lock of a method is given back.
 *
 * @since 0.1
 */
public enum ReleaseTime {

	/**
	 * As {@code lock.transaction.release} says, which is {@link #AFTER_TRANSACTION} by
	 * default.
	 */
	DEFAULT,

	/**
	 * When the transaction that the caller is in has been committed or rolled back, so
	 * that the next owner sees what was written; after the method, where there is none.
	 * Before the commit the lease is checked once more. A transaction that the method
	 * itself starts ends inside of the lock in any case.
	 */
	AFTER_TRANSACTION,

	/**
	 * When the method has ended, though the caller's transaction goes on: the next owner
	 * does not see what it has written.
	 */
	AFTER_METHOD

}
