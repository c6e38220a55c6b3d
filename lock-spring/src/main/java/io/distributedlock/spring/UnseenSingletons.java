package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockOperationException;
import io.distributedlock.spring.internal.reach.LockAnnotations;
import io.distributedlock.spring.internal.reach.ReachableMethods;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ObjectUtils;

/**
 * Finds locked beans that the post-processor has not seen, and which therefore run
 * without their locks: beans that were created before the post-processor, finished
 * objects that were registered as singletons, and beans of a child context without a
 * post-processor. A bean that it has seen is locked, whatever has been wrapped around it
 * since.
 */
final class UnseenSingletons {

	private static final Logger logger = LoggerFactory.getLogger(UnseenSingletons.class);

	/**
	 * The bean of Spring's test framework that knows which beans a test replaces, for
	 * example by mocks. Post-processors do not see the replacements.
	 */
	private static final String REPLACED_BY_TEST = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private static final Reason EARLY = new Reason(
			"it was created before the post-processor for locks, or registered as a finished object",
			"If a BeanPostProcessor needs the bean, inject an ObjectProvider and make its @Bean method static; register an object by a supplier; or use LockTemplate inside the method");

	private static final Reason IN_CHILD = new Reason(
			"its application context has no post-processor for locks, and that of a parent context does not see it",
			"Import DistributedLockAutoConfiguration into that context, or @EnableDistributedLocks without Spring Boot; or declare the bean in the parent context");

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	/**
	 * Note that the post-processor has seen a bean.
	 */
	void seen(String beanName) {
		this.seen.add(beanName);
	}

	/**
	 * Check the singletons that exist. No bean is created for the check, except the
	 * product of a factory bean that was itself created early: Spring does not tell
	 * whether such a product exists already.
	 * @throws InvalidLockOperationException if one runs without its locks
	 */
	void check(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getSingletonNames()) {
			Object bean = this.seen.contains(name) ? null : beans.getSingleton(name);
			if (bean != null) {
				check(bean, name, beans, EARLY);
			}
			if (bean instanceof FactoryBean<?> factory && factory.isSingleton()) {
				Object product = product(name, beans);
				if (product != null && !this.seen.contains(name)) {
					check(product, name, beans, EARLY);
				}
			}
		}
		for (String name : beans.getBeanDefinitionNames()) {
			if (isGivenToAnEarlyBean(name, beans)) {
				checkType(beans.getType(name, false), name, beans, EARLY);
			}
		}
		this.seen.clear();
	}

	/**
	 * Check the beans of a child context that has no post-processor. No bean is created.
	 * @throws InvalidLockOperationException if one runs without its locks
	 */
	static void checkChild(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
			Object bean = beans.getSingleton(name);
			if (bean == null || bean instanceof FactoryBean) {
				checkType(beans.getType(name, false), name, beans, IN_CHILD);
			}
			else {
				check(bean, name, beans, IN_CHILD);
			}
		}
	}

	private static void check(Object bean, String name, ConfigurableListableBeanFactory beans, Reason reason) {
		if (!(bean instanceof AopInfrastructureBean) && !ProxyLayers.takeLocks(bean)) {
			checkType(ProxyLayers.targetClass(bean), name, beans, reason);
		}
	}

	private static void checkType(@Nullable Class<?> type, String name, ConfigurableListableBeanFactory beans,
			Reason reason) {
		if (type != null) {
			lockedMethod(type)
				.ifPresent((method) -> report(name, type, method, reason, beans.containsSingleton(REPLACED_BY_TEST)));
		}
	}

	private static @Nullable Object product(String name, ConfigurableListableBeanFactory beans) {
		try {
			return beans.getBean(name);
		}
		catch (BeansException ex) {
			logger.debug("The product of factory bean '{}' cannot be created, so nobody uses it", name, ex);
			return null;
		}
	}

	/**
	 * Return whether a bean that is no singleton was injected into a bean that was
	 * created before the post-processor. Other objects of the same bean, injected later,
	 * are locked.
	 */
	private boolean isGivenToAnEarlyBean(String name, ConfigurableListableBeanFactory beans) {
		return areSeveral(name, beans) && Arrays.stream(beans.getDependentBeans(name))
			.anyMatch((each) -> !this.seen.contains(each) && beans.containsSingleton(each)
					&& !isOnlyToBeMadeFirst(name, each, beans));
	}

	private static boolean areSeveral(String name, ConfigurableListableBeanFactory beans) {
		return !beans.getMergedBeanDefinition(name).isSingleton()
				|| (beans.getSingleton(name) instanceof FactoryBean<?> factory && !factory.isSingleton());
	}

	/**
	 * Return whether a bean names another one in {@code dependsOn} only, so that it is
	 * not injected.
	 */
	private static boolean isOnlyToBeMadeFirst(String name, String dependent, ConfigurableListableBeanFactory beans) {
		return beans.containsBeanDefinition(dependent)
				&& ObjectUtils.containsElement(beans.getMergedBeanDefinition(dependent).getDependsOn(), name);
	}

	private static void report(String name, Class<?> type, Method method, Reason reason, boolean test) {
		InvalidLockOperationException problem = new InvalidLockOperationException(method, type,
				"bean '%s' of type %s runs without its locks, because %s".formatted(name, type.getName(),
						reason.text()),
				reason.action(), null);
		if (!test) {
			throw problem;
		}
		logger.warn("Ignore this if the bean is a mock: {}", problem.getMessage());
	}

	private static Optional<Method> lockedMethod(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return Optional.empty();
		}
		try {
			return ReachableMethods.of(type)
				.filter((method) -> !LockAnnotations.of(ReachableMethods.specific(method, type), type).isEmpty())
				.findFirst();
		}
		catch (IllegalStateException ex) {
			if (ex.getCause() instanceof LinkageError) {
				logger.debug("{} needs a class that is missing, so its locks are not looked for", type, ex);
				return Optional.empty();
			}
			throw ex;
		}
	}

	/**
	 * Why the post-processor has not seen a bean, and what to do.
	 */
	private record Reason(String text, String action) {
	}

}
