package io.distributedlock.spring;

import java.io.ObjectStreamException;
import java.io.Serial;
import java.util.Arrays;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;

/**
 * Puts methods under their locks, or checks these before the commit of a transaction that
 * a method itself starts. It is a type of its own, so that a proxy that takes locks is
 * recognized, also one of another application context.
 * <p>
 * Why: docs/decisions/021-advice-by-post-processor.md
 */
final class LockAdvisor extends DefaultPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient BeanFactory beans;

	private final SerializedAdvisor.Role role;

	LockAdvisor(Pointcut pointcut, Advice advice, BeanFactory beans, SerializedAdvisor.Role role) {
		super(pointcut, advice);
		this.beans = beans;
		this.role = role;
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
