package io.distributedlock.spring;

import java.io.ObjectStreamException;
import java.io.Serial;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.internal.operation.LockOperationSource;
import org.aopalliance.aop.Advice;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts methods that have a lock operation under their locks, or checks these before the
 * commit of a transaction that a method itself starts. It is a type of its own, so that a
 * proxy that takes locks is recognized, also one of another application context.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 */
final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient LockOperationSource operations;

	private final transient BeanFactory beans;

	private final SerializedAdvisor.Role role;

	LockAdvisor(LockOperationSource operations, Advice advice, BeanFactory beans, SerializedAdvisor.Role role) {
		super(advice);
		this.operations = operations;
		this.beans = beans;
		this.role = role;
		setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.operations.find(method, targetClass) != null;
	}

	/**
	 * Return whether a proxy takes locks.
	 */
	static boolean isAmong(Advised proxy) {
		return Arrays.stream(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
	}

	@Serial
	Object writeReplace() throws ObjectStreamException {
		return new SerializedAdvisor(this.beans, this.role);
	}

}
