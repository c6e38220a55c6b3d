package io.distributedlock.application;

/**
 * How a node takes the lock.
 */
@FunctionalInterface
interface Locking {

	/**
	 * Take the lock, however long that takes, and return what releases it.
	 */
	AutoCloseable lock() throws Exception;

}
