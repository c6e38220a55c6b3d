package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * What a method returns, as the class of its bean declares it: the variables of generic
 * base classes and interfaces are resolved.
 *
 * @param resolved the type
 * @param suspending whether it is a suspending function of Kotlin: the compiler hides
 * what it gives in the type of its last parameter
 */
record ReturnType(ResolvableType resolved, boolean suspending) {

	static ReturnType of(Method method, Class<?> userClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			int continuation = method.getParameterCount() - 1;
			return new ReturnType(ResolvableType.forMethodParameter(method, continuation, userClass).getGeneric(),
					true);
		}
		return new ReturnType(ResolvableType.forMethodReturnType(method, userClass), false);
	}

	/**
	 * Return the class, {@link Object} if it is known at the call only.
	 */
	Class<?> type() {
		return this.resolved.resolve(Object.class);
	}

	/**
	 * Return what the caller has in the end: what a future or a publisher brings, or what
	 * a suspending function gives.
	 */
	ResolvableType delivered() {
		return this.suspending ? this.resolved : this.resolved.getGeneric();
	}

	/**
	 * Return the class of its first type argument.
	 */
	Class<?> argument() {
		return this.resolved.getGeneric().resolve(Object.class);
	}

	/**
	 * Return what stands for nothing: an empty {@link Optional} or {@code null}.
	 */
	static @Nullable Object nothing(Class<?> type) {
		return (type == Optional.class) ? Optional.empty() : null;
	}

	String name() {
		return type().getSimpleName();
	}

}
