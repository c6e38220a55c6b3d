package io.distributedlock.spring.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.spring.internal.invocation.AnnotatedCall;
import io.distributedlock.spring.internal.invocation.ContentionPolicy;
import io.distributedlock.spring.internal.reach.ReachableMethods;
import io.distributedlock.spring.internal.returntype.ReturnType;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * On contention another method of the same object runs, without the lock. It is called
 * through the proxy if possible, so that its own annotations apply.
 *
 * @param fallback the method
 * @param takesException whether its last parameter is the exception
 * @param reachable whether calls of it go through the proxy
 */
record FallbackPolicy(Method fallback, boolean takesException, boolean reachable) implements ContentionPolicy {

	static ContentionPolicy of(LockAttributes attributes) {
		String name = attributes.raw("fallback");
		List<Class<?>> parameters = parameters(attributes.method(), attributes.userClass());
		List<Class<?>> withException = new ArrayList<>(parameters);
		withException.add(placeOfException(attributes.method(), parameters.size()), LockNotAcquiredException.class);
		Method fallback = find(attributes, name, parameters);
		Method fallbackWithException = find(attributes, name, withException);
		Method chosen = (fallbackWithException != null) ? fallbackWithException : fallback;
		if (chosen == null) {
			throw attributes.invalid("fallback",
					"there is no method %s with the parameters of the locked method, %s".formatted(name,
							parameters.stream().map(Class::getSimpleName).toList()),
					"Declare one in the same class; it may have one more parameter at the end, of type LockNotAcquiredException",
					null);
		}
		Class<?> expected = ReturnType.of(attributes.method(), attributes.userClass()).type();
		Class<?> returned = ReturnType.of(chosen, attributes.userClass()).type();
		attributes.refuseIf(!ClassUtils.isAssignable(expected, returned), "fallback",
				"the fallback returns %s, but the locked method returns %s".formatted(returned.getSimpleName(),
						expected.getSimpleName()),
				"Let both return the same type");
		ReflectionUtils.makeAccessible(chosen);
		return new FallbackPolicy(chosen, chosen.equals(fallbackWithException),
				ReachableMethods.isReachable(chosen, attributes.userClass()));
	}

	private static @Nullable Method find(LockAttributes attributes, String name, List<Class<?>> parameters) {
		return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(attributes.userClass()))
			.filter((method) -> isNamed(method, name) && !method.isSynthetic() && !method.equals(attributes.method())
					&& parameters(method, attributes.userClass()).equals(parameters))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return whether a method has a name in its source. The compiler of Kotlin appends to
	 * it if the method is internal or has a parameter or result of a value class; the
	 * static methods with such names are lambdas.
	 */
	private static boolean isNamed(Method method, String name) {
		String compiled = method.getName();
		return compiled.equals(name)
				|| (KotlinDetector.isKotlinType(method.getDeclaringClass()) && !Modifier.isStatic(method.getModifiers())
						&& (compiled.startsWith(name + "-") || compiled.startsWith(name + "$")));
	}

	/**
	 * Return the types of a method's parameters as the class of the bean has them: a
	 * generic base class or interface may leave them open.
	 */
	private static List<Class<?>> parameters(Method method, Class<?> userClass) {
		return IntStream.range(0, method.getParameterCount())
			.<Class<?>>mapToObj((i) -> ResolvableType.forMethodParameter(method, i, userClass).resolve(Object.class))
			.toList();
	}

	@Override
	public @Nullable Object end(LockNotAcquiredException contention, AnnotatedCall call) throws Throwable {
		List<@Nullable Object> arguments = new ArrayList<@Nullable Object>(
				Arrays.asList(call.invocation().getArguments()));
		if (this.takesException) {
			arguments.add(placeOfException(this.fallback, arguments.size()), contention);
		}
		// gives a Mono for a suspending function, as the locked method does: the caller
		// is resumed by that alone
		return AopUtils.invokeJoinpointUsingReflection(callee(call), this.fallback, arguments.toArray());
	}

	/**
	 * Return where the exception stands: at the end, but before what the compiler adds to
	 * a suspending function.
	 */
	private static int placeOfException(Method method, int parameters) {
		return KotlinDetector.isSuspendingFunction(method) ? parameters - 1 : parameters;
	}

	/**
	 * Return the proxy, so that the fallback's own annotations apply. If the proxy does
	 * not have the method, return the object behind it.
	 */
	private Object callee(AnnotatedCall call) {
		Object proxy = call.proxy();
		return (this.reachable && this.fallback.getDeclaringClass().isInstance(proxy)) ? proxy
				: AnnotatedCall.targetOf(call.invocation());
	}

}
