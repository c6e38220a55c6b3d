package io.distributedlock.spring.internal.operation;

import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.spring.internal.invocation.CallRules;
import io.distributedlock.spring.internal.invocation.LockedInvocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a method ask for, parsed and checked.
 *
 * @param requests give what to lock, one for each annotation; the call needs all locks
 * @param invocation runs the method under the locks, as its return type needs it
 * @param rules what else the annotations say about each call
 */
public record LockOperation(List<LockRequestFactory> requests, LockedInvocation invocation, CallRules rules) {

	/**
	 * Return what to lock for one call.
	 * @param call the call
	 * @param target the bean
	 * @return the request, {@code null} if the call needs no lock, since no condition is
	 * true
	 * @throws IllegalArgumentException if the arguments give no usable key
	 */
	public @Nullable LockRequest request(MethodInvocation call, Object target) {
		LockRequest request = null;
		for (LockRequestFactory each : this.requests) {
			LockRequest next = each.request(call, target);
			if (next != null) {
				request = (request != null) ? request.and(next) : next;
			}
		}
		return request;
	}

}
