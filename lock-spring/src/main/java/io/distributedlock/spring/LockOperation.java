package io.distributedlock.spring;

import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.OnUnavailable;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a method ask for, parsed and checked.
 *
 * @param targets what to lock, all or nothing
 * @param invocation runs the method under the locks, as its return type needs it
 * @param contention what to do when others hold them
 * @param onUnavailable what to do when the backend fails
 * @param onLost what to do when a lease ends under the method
 * @param release when to give them back
 * @param handleParameter the index of the parameter that is filled in, -1 for none
 */
record LockOperation(List<LockTarget> targets, LockedInvocation invocation, ContentionPolicy contention,
		OnUnavailable onUnavailable, OnLost onLost, LockRelease release, int handleParameter) {

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
