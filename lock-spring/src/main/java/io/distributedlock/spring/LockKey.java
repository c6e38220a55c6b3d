package io.distributedlock.spring;

import org.aopalliance.intercept.MethodInvocation;

/**
 * Gives the key of one call.
 */
@FunctionalInterface
interface LockKey {

	/**
	 * Return the key.
	 * @param call the call
	 * @param target the object that it is made on
	 * @return the key, not blank
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	String of(MethodInvocation call, Object target);

}
