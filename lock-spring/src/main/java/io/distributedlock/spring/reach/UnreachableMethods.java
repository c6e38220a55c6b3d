package io.distributedlock.spring.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.SpringProxy;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of annotated methods whose calls do not go through a proxy.
 */
final class UnreachableMethods {

	private static final Logger logger = LoggerFactory.getLogger(UnreachableMethods.class);

	private static final String WAY_OUT = "Call it from another bean, use LockTemplate inside the method, or set lock.mode=aspectj";

	private UnreachableMethods() {
	}

	static void warn(Class<?> userClass) {
		if (Proxy.isProxyClass(userClass)) {
			// its methods are final but implement those of interfaces
			return;
		}
		ReflectionUtils.doWithMethods(userClass,
				(method) -> logger.warn(new InvalidLockOperationException(method, userClass,
						"a proxy cannot intercept a %s, so the annotation has no effect"
							.formatted(describe(method, userClass)),
						WAY_OUT, null)
					.getMessage()),
				(method) -> !ReachableMethods.isReachable(method, userClass) && isWanted(method, userClass)
						&& !isOverload(method));
		ReflectionUtils.doWithMethods(userClass, (method) -> logger.warn(new InvalidLockOperationException(method,
				userClass,
				"the annotation has no effect when Spring calls the method to initialize or destroy the bean, since that call does not go through the proxy",
				WAY_OUT, null)
			.getMessage()),
				(method) -> isOfTheLifecycle(method) && ReachableMethods.isReachable(method, userClass)
						&& LockAnnotations.areOn(method));
	}

	/**
	 * Warn of calls that do not go through the proxy of a class.
	 */
	static void warnOfCalls(Class<?> userClass, boolean bySubclass) {
		boolean ofInterfaces = Proxy.isProxyClass(userClass);
		if (ofInterfaces && SpringProxy.class.isAssignableFrom(userClass)) {
			// it runs default methods on itself
			return;
		}
		SelfInvocations
			.find(userClass, bySubclass,
					(method) -> (ofInterfaces || ReachableMethods.isReachable(method, userClass))
							&& !LockAnnotations.isCopy(method) && isLocked(method, userClass))
			.forEach((call) -> logger.warn(
					"In {}, {} of the same class. A call on the same object does not go through the proxy, so the called method runs without its lock. {}",
					(ofInterfaces ? userClass.getInterfaces()[0] : userClass).getName(), call, WAY_OUT));
	}

	/**
	 * Return whether the author of an annotation wants a method to be locked. An
	 * annotation on a class applies to its public methods; those that it inherits from a
	 * framework are no reason for a warning.
	 */
	private static boolean isWanted(Method method, Class<?> userClass) {
		if (LockAnnotations.areOn(method)) {
			return true;
		}
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& !SelfInvocations.isOfAFramework(method.getDeclaringClass()) && isLocked(method, userClass);
	}

	/**
	 * Return whether the compiler of Kotlin made a method for {@code @JvmOverloads}. It
	 * is final and calls the annotated one, on the proxy.
	 */
	private static boolean isOverload(Method method) {
		return Modifier.isFinal(method.getModifiers()) && Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			// has the object, all parameters, which are set, and a marker
			.anyMatch((each) -> each.isSynthetic()
					&& each.getName().equals(method.getName() + SelfInvocations.WITH_DEFAULTS)
					&& each.getParameterCount() - 3 > method.getParameterCount());
	}

	private static boolean isLocked(Method method, Class<?> userClass) {
		try {
			return !LockAnnotations.of(method, userClass).isEmpty();
		}
		catch (InvalidLockOperationException ex) {
			// no reason for a warning: who reads the annotation to use it reports this
			return false;
		}
	}

	private static boolean isOfTheLifecycle(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method);
		return annotations.isPresent("jakarta.annotation.PostConstruct")
				|| annotations.isPresent("jakarta.annotation.PreDestroy")
				|| overrides(method, InitializingBean.class, "afterPropertiesSet")
				|| overrides(method, DisposableBean.class, "destroy");
	}

	private static boolean overrides(Method method, Class<?> type, String name) {
		return type.isAssignableFrom(method.getDeclaringClass()) && method.getName().equals(name)
				&& method.getParameterCount() == 0;
	}

	private static String describe(Method method, Class<?> userClass) {
		return ReachableMethods.isOfAnotherPackage(method, userClass) ? "package-private method of another package"
				: Modifier.toString(method.getModifiers()) + " method";
	}

}
