package io.distributedlock.spring.internal.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.stream.Stream;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods whose calls go through a proxy.
 */
public final class ReachableMethods {

	private ReachableMethods() {
	}

	/**
	 * Return the methods of a class and its interfaces that an annotation may apply to.
	 * An annotation on a class applies to its public methods.
	 * @param type the class
	 * @return the methods
	 */
	public static Stream<Method> of(Class<?> type) {
		return withParents(type).distinct()
			.filter((each) -> !Proxy.isProxyClass(each))
			.flatMap((each) -> Stream.of(ReflectionUtils.getDeclaredMethods(each)))
			.filter((method) -> !method.isSynthetic() && !ReflectionUtils.isObjectMethod(method))
			.filter((method) -> mayBeLocked(specific(method, type), type));
	}

	/**
	 * Return a class with all its superclasses and interfaces, some of them several
	 * times.
	 * @param type the class
	 * @return the types
	 */
	public static Stream<Class<?>> withParents(Class<?> type) {
		return Stream.concat(Stream.of(type),
				Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
					.flatMap(ReachableMethods::withParents));
	}

	/**
	 * Return the method that runs if one of a class or its interfaces is called.
	 * @param method the method that is called
	 * @param type the class
	 * @return the method that runs
	 */
	public static Method specific(Method method, Class<?> type) {
		return Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
	}

	/**
	 * Return whether a proxy of a class overrides a method.
	 * @param method the method
	 * @param userClass the class
	 * @return whether a call of the method goes through the proxy
	 */
	public static boolean isReachable(Method method, Class<?> userClass) {
		int modifiers = method.getModifiers();
		return !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers) && !Modifier.isFinal(modifiers)
				&& !isOfAnotherPackage(method, userClass);
	}

	/**
	 * Return whether a method is package-private in another package than that of the
	 * class. The proxy is in the package of the class and cannot override it.
	 */
	static boolean isOfAnotherPackage(Method method, Class<?> userClass) {
		int modifiers = method.getModifiers();
		return !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers) && !Modifier.isPrivate(modifiers)
				&& !method.getDeclaringClass().getPackageName().equals(userClass.getPackageName());
	}

	private static boolean mayBeLocked(Method method, Class<?> type) {
		return isReachable(method, type) && (Modifier.isPublic(method.getModifiers()) || LockAnnotations.areOn(method));
	}

}
