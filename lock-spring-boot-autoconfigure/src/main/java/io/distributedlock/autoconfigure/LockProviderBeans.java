package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockTemplate;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.type.MethodMetadata;

/**
 * Finds the providers of an application by the names of their beans, before any of these
 * beans is created.
 */
final class LockProviderBeans {

	private static final Pattern OURS = Pattern.compile(
			Pattern.quote(LockProviderBeans.class.getPackageName()) + "\\.([a-z]+\\.)?\\w+AutoConfiguration(\\$\\w+)?");

	/**
	 * What the names of our provider beans begin with. Applications and other libraries
	 * have beans with names such as {@code redisLockProvider}.
	 */
	private static final String PREFIX = "distributedLockProvider";

	private LockProviderBeans() {
	}

	static List<String> all(ConfigurableListableBeanFactory beans) {
		return Arrays.asList(beans.getBeanNamesForType(LockProvider.class, true, false));
	}

	/**
	 * Return the names of the provider beans that the application declares itself.
	 */
	static List<String> ofApplication(ConfigurableListableBeanFactory beans) {
		return all(beans).stream().filter((name) -> !isAutoConfigured(beans, name)).toList();
	}

	/**
	 * Return whether the template is auto-configured. One of the application chooses its
	 * providers itself.
	 */
	static boolean areForOurTemplate(ConfigurableListableBeanFactory beans) {
		return Stream.of(beans.getBeanNamesForType(LockTemplate.class, true, false))
			.anyMatch((name) -> isAutoConfigured(beans, name));
	}

	/**
	 * Refuse to start if there are several providers. This is checked before the first
	 * provider is created, because that may already need its backend.
	 */
	static void requireSingle(ConfigurableListableBeanFactory beans) {
		List<String> names = all(beans).stream().map(LockProviderBeans::providerName).toList();
		if (names.size() > 1) {
			throw DefaultProviderName.ambiguous(names);
		}
	}

	/**
	 * Return the name of the provider that an auto-configured bean is.
	 */
	static String providerName(String beanName) {
		return beanName.startsWith(PREFIX) ? beanName.substring(PREFIX.length()).toLowerCase(Locale.ROOT) : beanName;
	}

	private static boolean isAutoConfigured(ConfigurableListableBeanFactory beans, String name) {
		if (!beans.containsBeanDefinition(name)
				|| !(beans.getBeanDefinition(name) instanceof AnnotatedBeanDefinition definition)) {
			return false;
		}
		MethodMetadata factoryMethod = definition.getFactoryMethodMetadata();
		return factoryMethod != null && OURS.matcher(factoryMethod.getDeclaringClassName()).matches();
	}

}
