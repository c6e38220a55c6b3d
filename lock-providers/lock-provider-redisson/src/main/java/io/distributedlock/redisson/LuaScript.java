package io.distributedlock.redisson;

/**
 * A script that Redis executes in one step.
 */
interface LuaScript {

	/**
	 * Return the script itself.
	 */
	String source();

	/**
	 * Return the digest by which Redis knows the script once it was loaded.
	 */
	String digest();

}
