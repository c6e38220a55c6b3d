package io.distributedlock.spring;

import io.distributedlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;

/**
 * What an annotation asks for, parsed and checked.
 *
 * @param prototype the request, complete but for the key
 * @param key gives the key of a call
 * @param invocation runs the method under the lock, as its return type needs it
 */
record LockOperation(LockRequest prototype, LockKey key, LockedInvocation invocation) {

	LockRequest request(MethodInvocation call, Object target) {
		return this.prototype.withKey(this.key.of(call, target));
	}

}
