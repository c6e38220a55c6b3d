package io.distributedlock.spring.reach;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockSetupException;

import org.springframework.aot.AotDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Checks each class of a bean once for annotated methods that would run without their
 * locks. Thread-safe. Internal: public only for the package that puts beans under locks.
 */
public final class ClassChecks {

	private final Set<Class<?>> checked = Collections.newSetFromMap(new ConcurrentReferenceHashMap<>());

	private final Consumer<Class<?>> check;

	private final BiConsumer<Class<?>, Boolean> calls;

	private ClassChecks(Consumer<Class<?>> check, BiConsumer<Class<?>, Boolean> calls) {
		this.check = check;
		this.calls = calls;
	}

	/**
	 * Return checks for beans behind proxies: they log a warning for methods whose calls
	 * do not go through the proxy. An application that was processed ahead of time was
	 * warned then, and a native image has no class files to read.
	 * @return the checks
	 */
	public static ClassChecks ofProxies() {
		return AotDetector.useGeneratedArtifacts() ? new ClassChecks((type) -> {
		}, (type, bySubclass) -> {
		}) : new ClassChecks(UnreachableMethods::warn, UnreachableMethods::warnOfCalls);
	}

	/**
	 * Return checks for woven classes: they fail for methods that the aspect is not woven
	 * into.
	 * @param locked tells which methods of a class are locked
	 * @return the checks
	 */
	public static ClassChecks ofWeaving(BiPredicate<Method, Class<?>> locked) {
		return new ClassChecks((userClass) -> WovenMethods.check(userClass, locked), (type, bySubclass) -> {
		});
	}

	/**
	 * Check a class, unless it has been checked before.
	 * @param type the class
	 */
	public void check(Class<?> type) {
		if (this.checked.add(type) && AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			this.check.accept(ClassUtils.getUserClass(type));
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
		this.calls.accept(userClass, bySubclass);
	}

}
