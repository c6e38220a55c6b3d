package io.distributedlock.spring;

import java.io.ObjectStreamException;
import java.io.Serial;

import io.distributedlock.spring.invocation.CommitCheckInterceptor;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;

/**
 * Puts the commit check around methods: the locks of a method are checked before the
 * commit of a transaction that the method itself starts.
 */
final class CommitCheckAdvisor extends DefaultPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient BeanFactory beans;

	CommitCheckAdvisor(Pointcut pointcut, BeanFactory beans) {
		super(pointcut, new CommitCheckInterceptor());
		this.beans = beans;
	}

	@Serial
	Object writeReplace() throws ObjectStreamException {
		return new SerializedAdvisor(this.beans, SerializedAdvisor.Role.COMMIT_CHECK);
	}

}
