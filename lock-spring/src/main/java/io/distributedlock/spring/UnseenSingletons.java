package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.reach.LockAnnotations;
import io.distributedlock.spring.reach.ReachableMethods;
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
 * Finds beans that nobody has put under their locks: those that were made before the
 * post-processor, and finished objects that were registered. One that it has seen is
 * locked, whatever has been wrapped around it since.
 */
final class UnseenSingletons {

	private static final Logger logger = LoggerFactory.getLogger(UnseenSingletons.class);

	/**
	 * Where Spring's test framework notes which beans of a context a test replaces by its
	 * own, such as mocks. No post-processor is to see those.
	 */
	private static final String REPLACED_BY_TEST = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	/**
	 * Note that the post-processor has had a bean.
	 */
	void seen(String beanName) {
		this.seen.add(beanName);
	}

	/**
	 * Check the singletons that there are. None is made for it, but the product of a
	 * factory that was itself made early: whether there is one is not to be seen.
	 * @throws InvalidLockOperationException if one runs without its locks
	 */
	void check(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getSingletonNames()) {
			Object bean = this.seen.contains(name) ? null : beans.getSingleton(name);
			if (bean != null) {
				check(bean, name, beans);
			}
			if (bean instanceof FactoryBean<?> factory && factory.isSingleton()) {
				Object product = product(name, beans);
				if (product != null && !this.seen.contains(name)) {
					check(product, name, beans);
				}
			}
		}
		for (String name : beans.getBeanDefinitionNames()) {
			if (isGivenToAnEarlyBean(name, beans)) {
				checkType(beans.getType(name, false), name, beans);
			}
		}
		this.seen.clear();
	}

	private static void check(Object bean, String name, ConfigurableListableBeanFactory beans) {
		if (!(bean instanceof AopInfrastructureBean) && !ProxyLayers.takeLocks(bean)) {
			checkType(ProxyLayers.targetClass(bean), name, beans);
		}
	}

	private static void checkType(@Nullable Class<?> type, String name, ConfigurableListableBeanFactory beans) {
		if (type != null) {
			lockedMethod(type)
				.ifPresent((method) -> report(name, type, method, beans.containsSingleton(REPLACED_BY_TEST)));
		}
	}

	private static @Nullable Object product(String name, ConfigurableListableBeanFactory beans) {
		try {
			return beans.getBean(name);
		}
		catch (BeansException ex) {
			logger.debug("Nobody has the product of {}, as it cannot be made", name, ex);
			return null;
		}
	}

	/**
	 * Return whether a bean of which there are several was made for one that was made
	 * before the post-processor. A later bean may have one, too, which is locked.
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
	 * Return whether a bean names another one that it depends on, without being given it.
	 */
	private static boolean isOnlyToBeMadeFirst(String name, String dependent, ConfigurableListableBeanFactory beans) {
		return beans.containsBeanDefinition(dependent)
				&& ObjectUtils.containsElement(beans.getMergedBeanDefinition(dependent).getDependsOn(), name);
	}

	private static void report(String name, Class<?> type, Method method, boolean test) {
		InvalidLockOperationException problem = new InvalidLockOperationException(method, type,
				"bean '%s' of type %s runs without its locks, because it was made before the post-processor that puts it under them, or registered as a finished object. A BeanPostProcessor that needs it takes an ObjectProvider instead, and has a static @Bean method; a finished object is registered by a supplier; or use LockTemplate inside"
					.formatted(name, type.getName()));
		if (!test) {
			throw problem;
		}
		logger.warn("If this is no mock: {}", problem.getMessage());
	}

	private static Optional<Method> lockedMethod(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return Optional.empty();
		}
		return ReachableMethods.of(type)
			.filter((method) -> !LockAnnotations.of(ReachableMethods.specific(method, type), type).isEmpty())
			.findFirst();
	}

}
