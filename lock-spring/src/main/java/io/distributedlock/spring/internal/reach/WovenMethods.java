package io.distributedlock.spring.internal.reach;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.BiPredicate;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Finds locked methods that the aspect is not woven into. A proxy would lock them; with
 * {@code lock.mode=aspectj} they would run without their locks.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 */
public final class WovenMethods {

	/**
	 * The pointcut matches the annotation itself, an annotation that carries it, and one
	 * that carries such an annotation.
	 */
	private static final int MOST_DISTANT = 2;

	private WovenMethods() {
	}

	/**
	 * Check all methods of a class that have locks.
	 * @param userClass the class
	 * @param locked tells the locked methods of a class
	 * @throws InvalidLockOperationException if one would run without its locks
	 */
	public static void check(Class<?> userClass, BiPredicate<Method, Class<?>> locked) {
		ReflectionUtils.doWithMethods(userClass, (method) -> {
			Method specific = AopUtils.getMostSpecificMethod(method, userClass);
			if (isOrWouldBeLocked(specific, userClass, locked)) {
				requireLock(specific, userClass);
			}
		});
	}

	private static boolean isOrWouldBeLocked(Method method, Class<?> userClass, BiPredicate<Method, Class<?>> locked) {
		return Modifier.isStatic(method.getModifiers()) ? LockAnnotations.areOn(method)
				: locked.test(method, userClass);
	}

	private static void requireLock(Method method, Class<?> userClass) {
		int modifiers = method.getModifiers();
		Class<?> declaring = method.getDeclaringClass();
		require(!Modifier.isStatic(modifiers), method, userClass,
				"with lock.mode=aspectj, static methods take no locks", "Use LockTemplate inside the method");
		require(!Modifier.isAbstract(modifiers) && !Proxy.isProxyClass(declaring), method, userClass,
				"with lock.mode=aspectj, a method whose implementation is made at run time takes no lock",
				"Set lock.mode=proxy, or use LockTemplate inside the method");
		require(!KotlinDetector.isSuspendingFunction(method), method, userClass,
				"with lock.mode=aspectj, suspending functions take no locks",
				"Set lock.mode=proxy, or use LockTemplate inside the function");
		require(isAnnotated(MergedAnnotations.from(method, SearchStrategy.DIRECT)) || (Modifier.isPublic(modifiers)
				&& isAnnotated(MergedAnnotations.from(declaring, SearchStrategy.INHERITED_ANNOTATIONS))), method,
				userClass,
				"with lock.mode=aspectj, an annotation must stand on the method itself or on its class, directly or in a composed annotation of at most two levels. On %s.%s it does not"
					.formatted(declaring.getName(), method.getName()),
				"Annotate this method too, or set lock.mode=proxy");
		require(isWoven(method), method, userClass,
				"lock.mode is aspectj, but the aspect is not woven into %s".formatted(declaring.getName()),
				"Include the class in an aop.xml, and make sure that it is not loaded before the agent starts");
	}

	private static void require(boolean woven, Method method, Class<?> userClass, String problem, String action) {
		if (!woven) {
			throw new InvalidLockOperationException(method, userClass, problem, action, null);
		}
	}

	private static boolean isAnnotated(MergedAnnotations annotations) {
		return annotations.stream(DistributedLock.class).anyMatch((each) -> each.getDistance() <= MOST_DISTANT);
	}

	/**
	 * Return whether the aspect is woven in: then AspectJ has added a static field with
	 * the description of the method to the class.
	 */
	private static boolean isWoven(Method method) {
		return Arrays.stream(method.getDeclaringClass().getDeclaredFields())
			.filter((field) -> field.isSynthetic() && Modifier.isStatic(field.getModifiers())
					&& JoinPoint.StaticPart.class.isAssignableFrom(field.getType()))
			.anyMatch((field) -> method.equals(describedBy(field)));
	}

	private static @Nullable Method describedBy(Field field) {
		ReflectionUtils.makeAccessible(field);
		return (ReflectionUtils.getField(field, null) instanceof JoinPoint.StaticPart part
				&& part.getSignature() instanceof MethodSignature signature) ? signature.getMethod() : null;
	}

}
