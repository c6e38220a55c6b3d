package io.distributedlock.spring.reach;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Set;
import java.util.function.BiPredicate;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.annotation.InvalidLockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Checks each class of a bean once for annotated methods that would run without their
 * locks. An application that was processed ahead of time was warned then, and a native
 * image has no class files to read. Thread-safe. Internal: public only for the package
 * that puts beans under locks.
 */
public final class ClassChecks {

	private final Set<Class<?>> checked = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	private final @Nullable BiPredicate<Method, Class<?>> woven;

	/**
	 * Create checks.
	 * @param woven tells the locked methods of a class, if locks are woven in;
	 * {@code null} if beans are behind proxies
	 */
	public ClassChecks(@Nullable BiPredicate<Method, Class<?>> woven) {
		this.woven = woven;
	}

	/**
	 * Check a class, unless it has been checked before.
	 * @param type the class
	 * @throws InvalidLockOperationException if the aspect is not woven into a method
	 */
	public void check(Class<?> type) {
		if (!this.checked.add(type) || !AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return;
		}
		Class<?> userClass = ClassUtils.getUserClass(type);
		if (this.woven != null) {
			WovenMethods.check(userClass, this.woven);
		}
		else if (!AotDetector.useGeneratedArtifacts()) {
			UnreachableMethods.warn(userClass);
		}
	}

	/**
	 * Check whether calls of locked methods go through a proxy.
	 * @param type the class of the object behind the proxy
	 * @param bySubclass whether the proxy is a subclass of it
	 * @throws InvalidLockSetupException if the proxy cannot work
	 */
	public void checkCalls(Class<?> type, boolean bySubclass) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		if (bySubclass) {
			FinalMethods.check(userClass);
		}
		if (!AotDetector.useGeneratedArtifacts()) {
			UnreachableMethods.warnOfCalls(userClass, bySubclass);
		}
	}

}
