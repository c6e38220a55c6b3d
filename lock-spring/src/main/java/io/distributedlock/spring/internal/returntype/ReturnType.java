package io.distributedlock.spring.internal.returntype;

import java.lang.reflect.Method;
import java.lang.reflect.TypeVariable;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * What a method returns, as the class of its bean declares it: the variables of generic
 * base classes and interfaces are resolved.
 *
 * @param resolved the type
 * @param suspending whether the method is a suspending function of Kotlin, whose result
 * type the compiler hides in the type of its last parameter
 * @param hasEmpty whether the type has an empty value: a primitive type has none, nor has
 * a type of Kotlin that excludes {@code null}
 */
public record ReturnType(ResolvableType resolved, boolean suspending, boolean hasEmpty) {

	/**
	 * The empty values other than {@code null}.
	 */
	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Return what a method returns.
	 * @param method the method
	 * @param userClass the class of the bean
	 * @return the type
	 */
	public static ReturnType of(Method method, Class<?> userClass) {
		boolean suspending = KotlinDetector.isSuspendingFunction(method);
		ResolvableType type = suspending
				? ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, userClass).getGeneric()
				: ResolvableType.forMethodReturnType(method, userClass);
		return new ReturnType(type, suspending, hasEmpty(method, type));
	}

	private static boolean hasEmpty(Method method, ResolvableType type) {
		Class<?> resolved = type.resolve(Object.class);
		if (resolved == void.class || resolved.getName().equals("kotlin.Unit") || EMPTY.containsKey(resolved)) {
			return true;
		}
		// Kotlin knows which types may be null, but not for a variable
		boolean nullable = !KotlinDetector.isKotlinType(method.getDeclaringClass())
				|| !KotlinDetector.isKotlinReflectPresent() || type.resolve() == null
				|| type.getType() instanceof TypeVariable || new MethodParameter(method, -1).isOptional();
		return nullable && !resolved.isPrimitive();
	}

	/**
	 * Return the class, {@link Object} if it is not known before the call.
	 * @return the class
	 */
	public Class<?> type() {
		return this.resolved.resolve(Object.class);
	}

	/**
	 * Return the type that the caller has in the end: the type of the value in a future
	 * or a publisher, or the result type of a suspending function.
	 * @return the type
	 */
	public ResolvableType delivered() {
		return this.suspending ? this.resolved : this.resolved.getGeneric();
	}

	/**
	 * Return whether the compiler of Kotlin unboxes what a suspending function returns if
	 * it is there at once, and boxes it otherwise. Behind a proxy its caller may get the
	 * wrong one
	 * (<a href="https://github.com/spring-projects/spring-framework/issues/37155">
	 * spring-framework#37155</a>).
	 * @return whether it is a value class around an object
	 */
	public boolean mayBeUnboxed() {
		Method unbox = this.suspending ? ReflectionUtils.findMethod(type(), "unbox-impl") : null;
		return unbox != null && !unbox.getReturnType().isPrimitive();
	}

	/**
	 * Return the empty value of a type: an empty {@link Optional} or {@code null}.
	 * @param type the type of the value
	 * @return the value
	 */
	public static @Nullable Object empty(Class<?> type) {
		return EMPTY.get(type);
	}

}
