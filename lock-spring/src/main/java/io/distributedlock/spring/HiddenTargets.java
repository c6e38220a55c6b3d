package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds locked methods behind a proxy of interfaces that hides them. Such a proxy takes
 * no further advice, since it is opaque or frozen, or it is around another proxy. A
 * further proxy around it would see the methods of the interfaces only, not the annotated
 * methods of the class.
 */
final class HiddenTargets {

	private HiddenTargets() {
	}

	/**
	 * Return the class that a bean hides.
	 * @return the class, {@code null} if the bean hides none
	 */
	static @Nullable Class<?> find(Object bean) {
		boolean hides = Proxy.isProxyClass(bean.getClass()) && bean instanceof SpringProxy
				&& (!(bean instanceof Advised advised && !advised.isFrozen()) || ProxyLayers.isStacked(bean));
		return hides ? ProxyLayers.targetClass(bean) : null;
	}

	/**
	 * Return the object that takes the advice for the methods behind a proxy: the proxy
	 * itself, or another proxy inside of it.
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
					"bean '%s' is a proxy that is opaque or frozen, or has such a proxy inside. This method would run without its locks, since only annotations on the interfaces of the proxy are visible"
						.formatted(beanName),
					"Annotate the method in the interface, make the proxy neither opaque nor frozen, or return the object itself and let Spring wrap it",
					null);
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
