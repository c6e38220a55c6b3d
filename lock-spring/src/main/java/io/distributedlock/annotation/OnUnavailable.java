package io.distributedlock.annotation;

/**
 * What happens to a call when the backend of its lock fails or does not answer.
 *
 * @since 0.1
 */
public enum OnUnavailable {

	/**
	 * The method does not run, and the call fails with
	 * {@link io.distributedlock.LockUnavailableException}.
	 */
	THROW,

	/**
	 * The method runs <em>without</em> the lock, possibly at the same time as others, and
	 * a warning is logged. Use it only for work that may be done twice.
	 */
	PROCEED

}
