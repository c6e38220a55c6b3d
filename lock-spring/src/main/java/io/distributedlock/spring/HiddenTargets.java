package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.spring.reach.LockAnnotations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds locked methods behind proxies of interfaces that take no further advice, since
 * they are opaque or frozen, or that are around another proxy: a proxy around such a one
 * sees the methods of the interfaces only.
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
				&& (!(bean instanceof Advised advised && !advised.isFrozen()) || ProxyLayers.isStacked(bean));
		return hides ? ProxyLayers.targetClass(bean) : null;
	}

	/**
	 * Return what takes the advice for the methods that a proxy passes on: the proxy
	 * itself, or one inside of it that is nearer to them.
	 * @throws InvalidLockOperationException if a method would run without its locks
	 */
	static Object place(Object proxy, String beanName, Class<?> target) {
		Method unlocked = unlocked(proxy.getClass(), target).orElse(null);
		if (unlocked == null) {
			return proxy;
		}
		Object open = ProxyLayers.open(proxy);
		if (open == null) {
			throw new InvalidLockOperationException(unlocked, target,
					"bean '%s' is a proxy that is opaque or frozen, or is around such a one, and so this method would run without its locks: only those on the methods of its interfaces are seen. Annotate the interface, let the proxy be neither opaque nor frozen, or return the object itself and have Spring wrap it"
						.formatted(beanName));
		}
		return open;
	}

	private static Optional<Method> unlocked(Class<?> proxy, Class<?> target) {
		return ClassUtils.getAllInterfacesForClassAsSet(proxy)
			.stream()
			.filter((each) -> each.isAssignableFrom(target))
			.flatMap((each) -> Stream.of(each.getMethods()))
			.filter((method) -> LockAnnotations.of(method, proxy).isEmpty())
			.map((method) -> AopUtils.getMostSpecificMethod(method, target))
			.filter((method) -> !LockAnnotations.of(method, target).isEmpty())
			.findFirst();
	}

}
