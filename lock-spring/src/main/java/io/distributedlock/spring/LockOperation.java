package io.distributedlock.spring;

import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.spring.invocation.CallRules;
import io.distributedlock.spring.invocation.LockedInvocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a method ask for, parsed and checked.
 *
 * @param targets what to lock, all or nothing
 * @param invocation runs the method under the locks, as its return type needs it
 * @param rules what else they say about each call
 */
record LockOperation(List<LockTarget> targets, LockedInvocation invocation, CallRules rules) {

	/**
	 * Return what to lock for one call.
	 * @return the request, {@code null} if no condition holds
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	@Nullable LockRequest request(MethodInvocation call, Object target) {
		LockRequest request = null;
		for (LockTarget each : this.targets) {
			LockRequest next = each.request(call, target);
			if (next != null) {
				request = (request != null) ? request.and(next) : next;
			}
		}
		return request;
	}

}
