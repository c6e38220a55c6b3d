package io.distributedlock.annotation;

/**
 * What becomes of a call when the backend of its lock fails.
 *
 * @since 0.1
 */
public enum OnUnavailable {

	/**
	 * The call ends with {@link io.distributedlock.LockUnavailableException}, and the
	 * method does not run.
	 */
	THROW,

	/**
	 * The method runs <em>without</em> the lock, beside whoever else does, and a warning
	 * is logged. Only for work that may happen twice.
	 */
	PROCEED

}
