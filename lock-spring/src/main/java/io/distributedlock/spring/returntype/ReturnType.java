package io.distributedlock.spring.returntype;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * What a method returns, as the class of its bean declares it: the variables of generic
 * base classes and interfaces are resolved. Internal: public only for the other packages
 * of this module.
 *
 * @param resolved the type
 * @param suspending whether it is a suspending function of Kotlin: the compiler hides
 * what it gives in the type of its last parameter
 * @param nothing whether there is a value for nothing: not for a primitive type, nor for
 * what Kotlin unpacks to one
 */
public record ReturnType(ResolvableType resolved, boolean suspending, boolean nothing) {

	/**
	 * What stands for nothing where that is not {@code null}.
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
		if (KotlinDetector.isSuspendingFunction(method)) {
			int continuation = method.getParameterCount() - 1;
			ResolvableType given = ResolvableType.forMethodParameter(method, continuation, userClass).getGeneric();
			boolean nothing = !ClassUtils.isPrimitiveWrapper(given.resolve(Object.class))
					|| Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
			return new ReturnType(given, true, nothing);
		}
		ResolvableType type = ResolvableType.forMethodReturnType(method, userClass);
		Class<?> resolved = type.resolve(Object.class);
		return new ReturnType(type, false, resolved == void.class || !resolved.isPrimitive());
	}

	/**
	 * Return the class, {@link Object} if it is known at the call only.
	 * @return the class
	 */
	public Class<?> type() {
		return this.resolved.resolve(Object.class);
	}

	/**
	 * Return what the caller has in the end: what a future or a publisher brings, or what
	 * a suspending function gives.
	 * @return the type
	 */
	public ResolvableType delivered() {
		return this.suspending ? this.resolved : this.resolved.getGeneric();
	}

	/**
	 * Return the class of its first type argument.
	 * @return the class
	 */
	public Class<?> argument() {
		return this.resolved.getGeneric().resolve(Object.class);
	}

	/**
	 * Return what stands for nothing: an empty {@link Optional} or {@code null}.
	 * @param type the type of the value
	 * @return the value
	 */
	public static @Nullable Object nothing(Class<?> type) {
		return EMPTY.get(type);
	}

	/**
	 * Return the class for a message.
	 * @return its simple name
	 */
	public String name() {
		return type().getSimpleName();
	}

}
