package io.distributedlock.spring;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.spring.operation.LockOperationSource;
import io.distributedlock.spring.reach.ClassChecks;
import io.distributedlock.spring.reach.ReachableMethods;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Finds mistakes in annotations when beans are created. Each class and each proxy class
 * is looked at once. Thread-safe.
 */
final class AnnotationChecks {

	private final LockOperationSource operations;

	private final ClassChecks classChecks;

	private final Set<ProxyTypes> checked = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	AnnotationChecks(LockOperationSource operations, boolean proxying) {
		this.operations = operations;
		this.classChecks = new ClassChecks(proxying ? null : (method, type) -> operations.find(method, type) != null);
	}

	/**
	 * Check whether the locked methods of a class get their locks.
	 */
	void checkClass(Class<?> type) {
		this.classChecks.check(type);
	}

	/**
	 * Read the annotations of all methods of a proxy that takes locks. Spring stops at
	 * the first method with locks, and a mistake in another one would only show when that
	 * is called.
	 * @throws InvalidLockOperationException if an annotation cannot work
	 */
	void checkProxy(Advised proxy) {
		Class<?> target = AopUtils.getTargetClass(proxy);
		if (!LockAdvisor.isAmong(proxy) || !this.checked.add(new ProxyTypes(proxy.getClass(), target))) {
			return;
		}
		boolean ofInterfaces = Proxy.isProxyClass(proxy.getClass());
		this.classChecks.checkCalls(target, !ofInterfaces);
		Stream<Class<?>> types = ofInterfaces ? Stream.of(proxy.getProxiedInterfaces())
				: Stream.of(ClassUtils.getUserClass(target));
		types.flatMap(ReachableMethods::of).forEach((method) -> this.operations.find(method, target));
	}

	private record ProxyTypes(Class<?> proxy, Class<?> target) {
	}

}
