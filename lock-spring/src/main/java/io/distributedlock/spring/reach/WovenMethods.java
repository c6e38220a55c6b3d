package io.distributedlock.spring.reach;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.BiPredicate;

import io.distributedlock.annotation.DistributedLock;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Finds locked methods that nothing is woven into: a proxy would lock them, and without
 * one they would run without their locks.
 */
final class WovenMethods {

	/**
	 * The pointcut names an annotation, one that carries it, and one that carries that.
	 */
	private static final int MOST_DISTANT = 2;

	private WovenMethods() {
	}

	/**
	 * Check all methods of a class that have locks.
	 * @param userClass the class
	 * @param locked tells the locked methods of a class
	 * @param mistake makes the exception for a method that would run without its locks
	 */
	static void check(Class<?> userClass, BiPredicate<Method, Class<?>> locked, ClassChecks.Mistake mistake) {
		ReflectionUtils.doWithMethods(userClass, (method) -> {
			Method specific = AopUtils.getMostSpecificMethod(method, userClass);
			if (isMeant(specific) && isOrWouldBeLocked(specific, userClass, locked)) {
				String gap = gap(specific);
				if (gap != null) {
					throw mistake.of(specific, userClass, gap);
				}
			}
		});
	}

	/**
	 * An annotation on a class stands for its public methods.
	 */
	private static boolean isMeant(Method method) {
		return Modifier.isPublic(method.getModifiers()) || LockAnnotations.areOn(method);
	}

	private static boolean isOrWouldBeLocked(Method method, Class<?> userClass, BiPredicate<Method, Class<?>> locked) {
		return Modifier.isStatic(method.getModifiers()) ? LockAnnotations.areOn(method)
				: locked.test(method, userClass);
	}

	/**
	 * Return why no lock is woven into a method.
	 * @return the reason and what to do, {@code null} if it is woven
	 */
	private static @Nullable String gap(Method method) {
		if (Modifier.isStatic(method.getModifiers())) {
			return "locks are not woven into static methods. Use LockTemplate inside";
		}
		if (Modifier.isAbstract(method.getModifiers()) || Proxy.isProxyClass(method.getDeclaringClass())) {
			return "locks are not woven into a method that has its body at run time only. Set lock.mode=proxy, or use LockTemplate inside";
		}
		if (KotlinDetector.isSuspendingFunction(method)) {
			return "locks are not woven into suspending functions. Set lock.mode=proxy, or use LockTemplate inside";
		}
		if (!isAnnotated(MergedAnnotations.from(method, SearchStrategy.DIRECT))
				&& !(Modifier.isPublic(method.getModifiers()) && isAnnotated(
						MergedAnnotations.from(method.getDeclaringClass(), SearchStrategy.INHERITED_ANNOTATIONS)))) {
			return "locks are woven where the annotation stands, and %s.%s has it from elsewhere. Annotate this method too, or set lock.mode=proxy"
				.formatted(method.getDeclaringClass().getName(), method.getName());
		}
		if (!isWoven(method)) {
			return "nothing is woven into %s. See to it that an aop.xml includes the class, and that it is not loaded before the agent starts"
				.formatted(method.getDeclaringClass().getName());
		}
		return null;
	}

	private static boolean isAnnotated(MergedAnnotations annotations) {
		return annotations.stream(DistributedLock.class).anyMatch((each) -> each.getDistance() <= MOST_DISTANT);
	}

	/**
	 * AspectJ keeps what an advice may know of a method in a static field beside it.
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
