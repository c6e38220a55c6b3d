package io.distributedlock.spring;

import java.util.function.Supplier;

import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLockSettings;
import io.distributedlock.spring.internal.expression.LockExpressionParser;
import io.distributedlock.spring.internal.invocation.CommitCheckInterceptor;
import io.distributedlock.spring.internal.operation.LockOperationSource;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * The advice of one application context, and its place among the advice of a bean.
 *
 * @param beans the bean factory of the application context
 * @param operations what the annotations ask for
 * @param checks finds mistakes in annotations
 * @param interceptor runs methods under their locks
 * @param lock puts the interceptor around methods
 * @param commitCheck checks the locks before a commit, {@code null} without Spring's
 * transactions
 */
record LockAdvisors(DefaultListableBeanFactory beans, LockOperationSource operations, AnnotationChecks checks,
		MethodInterceptor interceptor, LockAdvisor lock, @Nullable LockAdvisor commitCheck) {

	/**
	 * Create the advice.
	 * @param beans the bean factory of the application context
	 * @param settings what applies to all annotated methods
	 * @param template gives the template
	 * @param order the order of the advice for locks
	 * @param proxying whether beans are wrapped in proxies
	 */
	static LockAdvisors of(DefaultListableBeanFactory beans, DistributedLockSettings settings,
			Supplier<LockTemplate> template, int order, boolean proxying) {
		LockExpressionParser parser = new LockExpressionParser(
				settings.beanReferences() ? new BeanFactoryResolver(beans) : null, beans.getBeanClassLoader());
		LockOperationSource operations = new LockOperationSource(parser,
				(text) -> (text != null) ? beans.resolveEmbeddedValue(text) : null, settings, beans);
		DistributedLockInterceptor interceptor = new DistributedLockInterceptor(operations, template);
		LockAdvisor lock = new LockAdvisor(operations, interceptor, beans, SerializedAdvisor.Role.LOCK);
		lock.setOrder(order);
		return new LockAdvisors(beans, operations, new AnnotationChecks(operations, proxying), interceptor, lock,
				OptionalLibraries.TRANSACTIONS ? new LockAdvisor(operations, new CommitCheckInterceptor(), beans,
						SerializedAdvisor.Role.COMMIT_CHECK) : null);
	}

	/**
	 * Return the advice that has a role.
	 * @throws IllegalStateException if there is none
	 */
	Advisor of(SerializedAdvisor.Role role) {
		Advisor found = switch (role) {
			case LOCK -> this.lock;
			case COMMIT_CHECK -> this.commitCheck;
		};
		if (found == null) {
			throw new IllegalStateException(
					"A serialized bean needs the advice %s, which this application does not have. Put spring-tx on the class path, as in the application that wrote the bean"
						.formatted(role));
		}
		return found;
	}

	/**
	 * Put the advice of a proxy in order: that for locks goes inside of advice with a
	 * lower order. The check before the commit goes directly inside of the innermost
	 * advice for transactions. It is not the last advice, since the last advice of a
	 * repository calls no further one.
	 */
	void arrange(Advised proxy) {
		int from = proxy.indexOf(this.lock);
		if (from < 0) {
			return;
		}
		int to = from;
		Advisor[] advisors = proxy.getAdvisors();
		while (to + 1 < advisors.length
				&& AnnotationAwareOrderComparator.INSTANCE.compare(advisors[to + 1], this.lock) < 0) {
			to++;
		}
		if (to != from) {
			proxy.removeAdvisor(from);
			proxy.addAdvisor(to, this.lock);
		}
		if (this.commitCheck != null && advisors.length > 1 && proxy.indexOf(this.commitCheck) < 0) {
			proxy.addAdvisor(insideOfTransactions(proxy.getAdvisors()), this.commitCheck);
		}
	}

	private static int insideOfTransactions(Advisor[] advisors) {
		for (int i = advisors.length - 1; i >= 0; i--) {
			if (advisors[i].getAdvice() instanceof TransactionAspectSupport) {
				return i + 1;
			}
		}
		return advisors.length;
	}

}
