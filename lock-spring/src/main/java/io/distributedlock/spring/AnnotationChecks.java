package io.distributedlock.spring;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spring.internal.operation.LockOperationSource;
import io.distributedlock.spring.internal.reach.ReachableMethods;
import io.distributedlock.spring.internal.reach.UnreachableMethods;
import io.distributedlock.spring.internal.reach.WovenMethods;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Finds mistakes in annotations when beans are created. Each class and each proxy class
 * is looked at until it has none. Thread-safe.
 */
final class AnnotationChecks {

	private final LockOperationSource operations;

	private final boolean proxying;

	private final Set<Class<?>> classes = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	private final Set<ProxyTypes> proxies = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	AnnotationChecks(LockOperationSource operations, boolean proxying) {
		this.operations = operations;
		this.proxying = proxying;
	}

	/**
	 * Check whether the locked methods of a class get their locks. An application that
	 * was processed ahead of time was warned then, and a native image has no class files
	 * to read.
	 * @throws InvalidLockOperationException if the aspect is not woven into a method
	 */
	void checkClass(Class<?> type) {
		if (this.classes.contains(type) || !AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return;
		}
		if (!this.proxying) {
			WovenMethods.check(ClassUtils.getUserClass(type),
					(method, userClass) -> this.operations.find(method, userClass) != null);
		}
		else if (!AotDetector.useGeneratedArtifacts()) {
			UnreachableMethods.warn(ClassUtils.getUserClass(type));
		}
		this.classes.add(type);
	}

	/**
	 * Read the annotations of all methods of a proxy that takes locks. Spring stops at
	 * the first method with locks, and a mistake in another one would only show when that
	 * is called.
	 * @throws InvalidLockSetupException if an annotation or the proxy cannot work
	 */
	void checkProxy(Advised proxy) {
		Class<?> target = AopUtils.getTargetClass(proxy);
		ProxyTypes proxyTypes = new ProxyTypes(proxy.getClass(), target);
		if (!LockAdvisor.isAmong(proxy) || this.proxies.contains(proxyTypes)) {
			return;
		}
		boolean ofInterfaces = Proxy.isProxyClass(proxy.getClass());
		Class<?> userClass = ClassUtils.getUserClass(target);
		if (!AotDetector.useGeneratedArtifacts()) {
			if (!ofInterfaces) {
				// a native image makes proxies by their constructors
				UnreachableMethods.refuseFinal(userClass);
			}
			UnreachableMethods.warnOfCalls(userClass, !ofInterfaces);
		}
		Stream<Class<?>> types = ofInterfaces ? Stream.of(proxy.getProxiedInterfaces()) : Stream.of(userClass);
		types.flatMap(ReachableMethods::of).forEach((method) -> this.operations.find(method, target));
		this.proxies.add(proxyTypes);
	}

	private record ProxyTypes(Class<?> proxy, Class<?> target) {
	}

}
