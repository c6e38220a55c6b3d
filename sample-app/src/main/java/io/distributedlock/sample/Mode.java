package io.distributedlock.sample;

/**
 * How the nodes refresh the token.
 */
public enum Mode {

	/**
	 * Each node by itself, behind a lock of its own JVM.
	 */
	UNLOCKED,

	/**
	 * One node at a time, behind the distributed lock.
	 */
	LOCKED

}
