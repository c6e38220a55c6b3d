package io.distributedlock.boot.test;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers a provider for each that the application would have: those that
 * {@code lock.provider} and {@code lock.providers} name, otherwise those on the class
 * path. Provider beans of the application stay, and {@link TestLocksPostProcessor}
 * replaces the objects.
 */
class TestLockProvidersRegistrar implements ImportBeanDefinitionRegistrar {

	private final ConfigurableListableBeanFactory beans;

	private final Environment environment;

	private final ClassLoader classLoader;

	TestLockProvidersRegistrar(BeanFactory beans, Environment environment, ClassLoader classLoader) {
		this.beans = (ConfigurableListableBeanFactory) beans;
		this.environment = environment;
		this.classLoader = classLoader;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importingClass, BeanDefinitionRegistry registry) {
		List<String> own = Arrays.asList(this.beans.getBeanNamesForType(LockProvider.class, true, false));
		for (ReplacedProvider provider : wanted(own)) {
			if (own.stream().noneMatch((bean) -> isOf(bean, provider))) {
				RootBeanDefinition definition = new RootBeanDefinition(TestLockProviderFactory.class);
				definition.getConstructorArgumentValues().addIndexedArgumentValue(0, provider.providerName());
				definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
				// otherwise who asks for beans of any type creates the factory
				definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, LockProvider.class);
				registry.registerBeanDefinition(provider.beanName(), definition);
			}
		}
	}

	private List<ReplacedProvider> wanted(List<String> own) {
		Binder binder = Binder.get(this.environment);
		Set<String> named = new LinkedHashSet<>();
		binder.bind("lock.provider", String.class).ifBound(named::add);
		binder.bind("lock.providers", Bindable.listOf(String.class)).ifBound(named::addAll);
		if (!named.isEmpty()) {
			return named.stream().flatMap((name) -> ReplacedProvider.of(name).stream()).toList();
		}
		if (!own.isEmpty()) {
			return List.of();
		}
		List<ReplacedProvider> found = Arrays.stream(ReplacedProvider.values())
			.filter((provider) -> provider.isDefault(this.classLoader))
			.toList();
		return found.isEmpty() ? List.of(ReplacedProvider.LOCAL) : found;
	}

	/**
	 * Return whether a bean of the application takes the place of an auto-configured
	 * provider.
	 */
	private boolean isOf(String bean, ReplacedProvider provider) {
		Class<?> type = this.beans.getType(bean, false);
		return bean.equals(provider.ownBeanName())
				|| (type != null && ClassUtils.getUserClass(type).getName().equals(provider.className()));
	}

}
