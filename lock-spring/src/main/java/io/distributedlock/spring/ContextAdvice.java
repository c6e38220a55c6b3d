package io.distributedlock.spring;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * The advice for the beans of one application context, as its parts and other contexts
 * know it.
 */
abstract class ContextAdvice extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private static final long serialVersionUID = 1L;

	/**
	 * Return whether the beans of a factory have such advice.
	 */
	static boolean isIn(BeanFactory factory) {
		return factory instanceof AbstractBeanFactory beans
				&& beans.getBeanPostProcessors().stream().anyMatch(ContextAdvice.class::isInstance);
	}

	/**
	 * Return whether beans are wrapped in proxies.
	 */
	abstract boolean isProxying();

	/**
	 * Return the advice for a bean that was serialized.
	 */
	abstract Advisor advisor(SerializedAdvisor.Role role);

}
