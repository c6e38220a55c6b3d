package io.distributedlock.sample;

/**
 * How the nodes refresh the token.
 */
public enum Mode {

	/**
	 * Each node on its own, with a lock inside its JVM.
	 */
	UNLOCKED,

	/**
	 * One node at a time, with the distributed lock.
	 */
	LOCKED;

	/**
	 * The header of a request to a node that names the mode.
	 */
	public static final String HEADER = "Demo-Mode";

}
