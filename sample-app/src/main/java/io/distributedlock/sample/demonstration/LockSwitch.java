package io.distributedlock.sample.demonstration;

import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.Mode;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Stands outside of the distributed lock, and leaves it out for requests in the mode
 * without it. Then a lock inside this JVM takes its place, as it is often done: one
 * thread of each node at a time, but several nodes together.
 */
class LockSwitch extends AbstractAdvisingBeanPostProcessor {

	private static final long serialVersionUID = 1L;

	private final ReentrantLock localLock = new ReentrantLock();

	LockSwitch() {
		// after the post-processor of the locks, so that this advice comes outside of
		// theirs
		setOrder(Ordered.LOWEST_PRECEDENCE);
		setBeforeExistingAdvisors(true);
		MethodInterceptor choice = this::invoke;
		this.advisor = new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(DistributedLock.class),
				choice);
	}

	/**
	 * Return how many calls hold the lock inside this JVM: none or one.
	 */
	int held() {
		return this.localLock.isLocked() ? 1 : 0;
	}

	/**
	 * Return how many calls wait for the lock inside this JVM.
	 */
	int waiting() {
		return this.localLock.getQueueLength();
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (!isSwitchedOff()) {
			return invocation.proceed();
		}
		this.localLock.lock();
		try {
			return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), invocation.getMethod(),
					invocation.getArguments());
		}
		finally {
			this.localLock.unlock();
		}
	}

	private static boolean isSwitchedOff() {
		return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request
				&& Mode.UNLOCKED.name().equals(request.getRequest().getHeader(Mode.HEADER));
	}

}
