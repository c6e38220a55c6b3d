package io.distributedlock.spring;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.core.DecoratingProxy;
import org.springframework.util.ReflectionUtils;

/**
 * The proxies of Spring around an object, layer by layer from the outside.
 */
final class ProxyLayers {

	/**
	 * What answers the calls of a proxy of interfaces.
	 */
	static final String JDK_HANDLER = "org.springframework.aop.framework.JdkDynamicAopProxy";

	/**
	 * Its field that is read where the proxy is opaque.
	 */
	static final String ADVISED = "advised";

	private ProxyLayers() {
	}

	/**
	 * Return whether one of the layers takes the locks.
	 */
	static boolean takeLocks(Object bean) {
		Advised layer = layer(bean);
		Object target = behind(bean);
		return (layer != null && (LockAdvisor.isAmong(layer) || isOfAnotherBean(layer)))
				|| (target != null && takeLocks(target));
	}

	/**
	 * Return the class of the object behind all layers.
	 */
	static Class<?> targetClass(Object bean) {
		Object target = behind(bean);
		if (target != null) {
			return targetClass(target);
		}
		Advised layer = layer(bean);
		if (layer != null) {
			return Objects.requireNonNullElse(layer.getTargetClass(), bean.getClass());
		}
		return (bean instanceof DecoratingProxy proxy) ? proxy.getDecoratedClass()
				: AopProxyUtils.ultimateTargetClass(bean);
	}

	/**
	 * Return the object behind all layers that show it.
	 */
	static Object innermost(Object bean) {
		Object target = behind(bean);
		return (target != null) ? innermost(target) : bean;
	}

	/**
	 * Return whether a proxy is around another one that is a proxy of interfaces: then it
	 * sees the methods of those interfaces only.
	 */
	static boolean isStacked(Object bean) {
		Object target = behind(bean);
		return target != null && layer(target) != null && Proxy.isProxyClass(target.getClass());
	}

	/**
	 * Return the innermost layer, if it takes further advice for the object behind it.
	 */
	static @Nullable Object open(Object bean) {
		Object each = bean;
		while (isStacked(each)) {
			Advised layer = layer(each);
			Object target = (layer != null) ? AopProxyUtils.getSingletonTarget(layer) : null;
			if (target == null) {
				// the target may be another object later
				return null;
			}
			each = target;
		}
		return (each instanceof Advised layer && !layer.isFrozen()) ? each : null;
	}

	/**
	 * Return whether a proxy looks up a bean at each call. That bean has its own locks,
	 * if its bean factory has the post-processor.
	 */
	private static boolean isOfAnotherBean(Advised layer) {
		return layer.getTargetSource() instanceof AbstractBeanFactoryBasedTargetSource source
				&& ContextAdvice.isIn(source.getBeanFactory());
	}

	/**
	 * Return the object behind the outermost layer, {@code null} if it is not known.
	 */
	private static @Nullable Object behind(Object bean) {
		Advised layer = layer(bean);
		if (layer == null) {
			return null;
		}
		return (layer.getTargetSource() instanceof HotSwappableTargetSource swappable) ? swappable.getTarget()
				: AopProxyUtils.getSingletonTarget(layer);
	}

	private static @Nullable Advised layer(Object bean) {
		if (bean instanceof Advised advised) {
			return advised;
		}
		return (bean instanceof SpringProxy && Proxy.isProxyClass(bean.getClass()))
				? opaque(Proxy.getInvocationHandler(bean)) : null;
	}

	/**
	 * Return the advice of an opaque proxy, which has no method for it.
	 * @return the advice, {@code null} if it cannot be read
	 */
	private static @Nullable Advised opaque(InvocationHandler handler) {
		Field field = ReflectionUtils.findField(handler.getClass(), ADVISED);
		return (field != null && field.trySetAccessible()
				&& ReflectionUtils.getField(field, handler) instanceof Advised advised) ? advised : null;
	}

}
