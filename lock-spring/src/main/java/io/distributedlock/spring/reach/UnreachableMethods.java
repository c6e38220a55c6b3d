package io.distributedlock.spring.reach;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import io.distributedlock.annotation.DistributedLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of annotated methods that a proxy does not see called.
 */
final class UnreachableMethods {

	private static final Logger logger = LoggerFactory.getLogger(UnreachableMethods.class);

	private static final String WAY_OUT = "Call it through another bean, use LockTemplate inside, or set lock.mode=aspectj";

	private UnreachableMethods() {
	}

	static void warn(Class<?> userClass) {
		if (Proxy.isProxyClass(userClass)) {
			// its methods are final, and stand for those of interfaces
			return;
		}
		ReflectionUtils.doWithMethods(userClass,
				(method) -> logger.warn("@DistributedLock on {}.{} has no effect: a {} is out of a proxy's reach. {}",
						method.getDeclaringClass().getName(), method.getName(), describe(method, userClass), WAY_OUT),
				(method) -> !ReachableMethods.isReachable(method, userClass) && isMeant(method, userClass));
		ReflectionUtils.doWithMethods(userClass, (method) -> logger.warn(
				"@DistributedLock on {}.{} has no effect where the container calls it for a new object or for one that it gives up, as that does not go through the proxy. {}",
				method.getDeclaringClass().getName(), method.getName(), WAY_OUT),
				(method) -> isOfTheLifecycle(method) && ReachableMethods.isReachable(method, userClass)
						&& LockAnnotations.areOn(method));
		SelfInvocations
			.find(userClass,
					(method) -> ReachableMethods.isReachable(method, userClass) && !LockAnnotations.isCopy(method)
							&& !LockAnnotations.of(method, userClass).isEmpty())
			.forEach((call) -> logger.warn(
					"In {}, {} of the same class. On the same object that does not go through the proxy: it runs without its lock. {}",
					userClass.getName(), call, WAY_OUT));
	}

	/**
	 * Return whether somebody wants a method to be locked. An annotation on a class means
	 * its public methods, but not those of a framework below it.
	 */
	private static boolean isMeant(Method method, Class<?> userClass) {
		if (LockAnnotations.areOn(method)) {
			return true;
		}
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& !SelfInvocations.isOfAFramework(method.getDeclaringClass())
				&& !LockAnnotations.of(method, userClass).isEmpty();
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
