package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DecoratingProxy;
import org.springframework.util.ClassUtils;

/**
 * Finds locked methods behind proxies of interfaces that take no further advice, since
 * they are opaque or frozen: a proxy around such a one sees the methods of the interfaces
 * only.
 */
final class HiddenTargets {

	private HiddenTargets() {
	}

	/**
	 * Return the class that a bean hides.
	 * @return the class, {@code null} if the bean is no such proxy
	 */
	static @Nullable Class<?> find(Object bean) {
		boolean hides = Proxy.isProxyClass(bean.getClass()) && bean instanceof SpringProxy
				&& !(bean instanceof Advised advised && !advised.isFrozen());
		return (hides && bean instanceof DecoratingProxy proxy) ? proxy.getDecoratedClass() : null;
	}

	/**
	 * Check the methods that a proxy passes on.
	 * @throws InvalidLockOperationException if one would run without its locks
	 */
	static void check(Object proxy, String beanName, Class<?> target) {
		if (UnseenSingletons.takesLocks(proxy)) {
			return;
		}
		unlocked(proxy.getClass(), target).ifPresent((method) -> {
			throw new InvalidLockOperationException(method, target,
					"bean '%s' is a proxy that is opaque or frozen, and so this method would run without its locks: only those on the methods of its interfaces are seen. Annotate the interface, let the proxy be neither opaque nor frozen, or return the object itself and have Spring wrap it"
						.formatted(beanName));
		});
	}

	private static Optional<Method> unlocked(Class<?> proxy, Class<?> target) {
		return ClassUtils.getAllInterfacesForClassAsSet(proxy)
			.stream()
			.filter((each) -> each.isAssignableFrom(target))
			.flatMap((each) -> Stream.of(each.getMethods()))
			.filter((method) -> LockOperationSource.annotations(method, proxy).isEmpty())
			.map((method) -> AopUtils.getMostSpecificMethod(method, target))
			.filter((method) -> !LockOperationSource.annotations(method, target).isEmpty())
			.findFirst();
	}

}
