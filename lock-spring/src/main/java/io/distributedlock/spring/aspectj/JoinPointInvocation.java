package io.distributedlock.spring.aspectj;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Adapts a woven call to the interface that advice for proxies knows: a call without
 * further advice, which ends in the method that the lock is woven into.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 */
final class JoinPointInvocation extends ReflectiveMethodInvocation {

	private static final ThreadLocal<@Nullable JoinPointInvocation> RUNNING = new ThreadLocal<>();

	private final ProceedingJoinPoint point;

	JoinPointInvocation(ProceedingJoinPoint point) {
		super(point.getThis(), point.getThis(), ((MethodSignature) point.getSignature()).getMethod(), point.getArgs(),
				null, List.of());
		this.point = point;
	}

	@Override
	protected @Nullable Object invokeJoinpoint() throws Throwable {
		JoinPointInvocation caller = RUNNING.get();
		RUNNING.set(this);
		try {
			return this.point.proceed(getArguments());
		}
		finally {
			if (caller != null) {
				RUNNING.set(caller);
			}
			else {
				RUNNING.remove();
			}
		}
	}

	/**
	 * Return whether this is a call by {@code super} from the method that overrides this
	 * one, with the same arguments. It runs under the locks of the overriding method and
	 * takes none of its own, as behind a proxy.
	 */
	boolean belongsToItsOverride() {
		JoinPointInvocation caller = RUNNING.get();
		if (caller == null || caller.getThis() != getThis()) {
			return false;
		}
		Method override = caller.getMethod();
		Method overridden = getMethod();
		return !override.equals(overridden)
				&& overridden.getDeclaringClass().isAssignableFrom(override.getDeclaringClass())
				&& AopUtils.getMostSpecificMethod(overridden, override.getDeclaringClass()).equals(override)
				&& Arrays.equals(caller.getArguments(), getArguments());
	}

}
