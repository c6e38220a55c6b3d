package io.distributedlock;

/**
 * The kind of a lock.
 *
 * @since 0.1
 */
public enum LockType {

	/**
	 * One owner at a time. The owner may take the lock again while it holds it.
	 */
	EXCLUSIVE

}
