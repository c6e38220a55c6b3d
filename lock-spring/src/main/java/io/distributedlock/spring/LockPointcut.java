package io.distributedlock.spring;

import java.lang.reflect.Method;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.internal.operation.LockOperationSource;

import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Matches the methods that have a lock operation.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

	private final LockOperationSource operations;

	LockPointcut(LockOperationSource operations) {
		this.operations = operations;
		setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, DistributedLock.class));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.operations.find(method, targetClass) != null;
	}

}
