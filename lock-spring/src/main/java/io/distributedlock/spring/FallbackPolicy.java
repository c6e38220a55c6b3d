package io.distributedlock.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Another method of the same object runs instead, without the lock.
 */
final class FallbackPolicy implements ContentionPolicy {

	private final Method fallback;

	private final boolean takesException;

	private FallbackPolicy(Method fallback, boolean takesException) {
		this.fallback = fallback;
		this.takesException = takesException;
	}

	static ContentionPolicy of(LockAttributes attributes) {
		String name = attributes.raw("fallback");
		Class<?>[] parameters = attributes.method().getParameterTypes();
		Class<?>[] withException = Arrays.copyOf(parameters, parameters.length + 1);
		withException[parameters.length] = LockNotAcquiredException.class;
		Method fallback = ReflectionUtils.findMethod(attributes.userClass(), name, parameters);
		Method fallbackWithException = ReflectionUtils.findMethod(attributes.userClass(), name, withException);
		Method chosen = (fallbackWithException != null) ? fallbackWithException : fallback;
		if (chosen == null || chosen.equals(attributes.method())) {
			throw attributes.invalid("fallback",
					"there is no method %s with the parameters of the locked one, %s, with or without a LockNotAcquiredException behind them"
						.formatted(name, Arrays.stream(parameters).map(Class::getSimpleName).toList()),
					null);
		}
		if (!ClassUtils.isAssignable(attributes.method().getReturnType(), chosen.getReturnType())) {
			throw attributes.invalid("fallback", "it returns %s, and the locked method %s".formatted(
					chosen.getReturnType().getSimpleName(), attributes.method().getReturnType().getSimpleName()), null);
		}
		ReflectionUtils.makeAccessible(chosen);
		return new FallbackPolicy(chosen, chosen.equals(fallbackWithException));
	}

	@Override
	public @Nullable Object end(LockNotAcquiredException contention, LockCall call) throws Throwable {
		@Nullable Object[] arguments = call.arguments();
		if (this.takesException) {
			arguments = Arrays.copyOf(arguments, arguments.length + 1);
			arguments[arguments.length - 1] = contention;
		}
		try {
			return this.fallback.invoke(call.target(), arguments);
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

}
