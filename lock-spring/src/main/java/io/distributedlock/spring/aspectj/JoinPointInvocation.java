package io.distributedlock.spring.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Adapts a woven call to the interface that advice for proxies knows.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 */
final class JoinPointInvocation implements ProxyMethodInvocation {

	private static final ThreadLocal<@Nullable JoinPointInvocation> RUNNING = new ThreadLocal<>();

	private final ProceedingJoinPoint point;

	private final Map<String, @Nullable Object> attributes = new HashMap<>(2);

	private @Nullable Object[] arguments;

	JoinPointInvocation(ProceedingJoinPoint point, @Nullable Object[] arguments) {
		this.point = point;
		this.arguments = arguments;
	}

	@Override
	public Object getProxy() {
		return this.point.getThis();
	}

	@Override
	public Object getThis() {
		return this.point.getThis();
	}

	@Override
	public Method getMethod() {
		return ((MethodSignature) this.point.getSignature()).getMethod();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

	@Override
	public @Nullable Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public void setArguments(@Nullable Object... arguments) {
		this.arguments = arguments;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		JoinPointInvocation caller = RUNNING.get();
		RUNNING.set(this);
		try {
			return this.point.proceed(this.arguments);
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
				&& Arrays.equals(caller.arguments, this.arguments);
	}

	@Override
	public MethodInvocation invocableClone() {
		return invocableClone(this.arguments.clone());
	}

	@Override
	public MethodInvocation invocableClone(@Nullable Object... arguments) {
		return new JoinPointInvocation(this.point, arguments);
	}

	@Override
	public void setUserAttribute(String key, @Nullable Object value) {
		this.attributes.put(key, value);
	}

	@Override
	public @Nullable Object getUserAttribute(String key) {
		return this.attributes.get(key);
	}

}
