package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.TreeSet;

import io.distributedlock.LockKeyLayout;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.event.LockListener;
import io.distributedlock.event.LockObserver;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the {@link LockTemplate}, which uses all available providers, and
 * of the advice for annotated methods. If locks are switched off, all of that is there as
 * usual, and locks nothing.
 *
 * @since 0.1
 */
// late, as the configurations of providers come just before it, whatever their own order
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 9)
@AutoConfiguration
@EnableConfigurationProperties(LockProperties.class)
public final class DistributedLockAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockAutoConfiguration.class);

	// no name that an application may have: many have a class DistributedLockTemplate
	@Bean
	@ConditionalOnMissingBean(LockTemplate.class)
	DefaultLockTemplate distributedLockDefaultTemplate(LockProperties properties,
			ObjectProvider<LockProvider> lockProviders, ObjectProvider<LockListener> listeners,
			ObjectProvider<LockObserver> observers, ObjectProvider<LockKeyLayout> layout,
			ObjectProvider<LockTemplateBuilderCustomizer> customizers, Environment environment,
			ApplicationEventPublisher events) {
		if (!properties.enabled()) {
			logger.warn(
					"Distributed locks are OFF: lock.enabled is false. Annotated methods and the LockTemplate run their work without a lock, at the same time as other instances");
			return customized(DefaultLockTemplate.builder().unlocked(), customizers);
		}
		List<LockProvider> providers = lockProviders.orderedStream().toList();
		LockTemplateBuilder builder = DefaultLockTemplate.builder();
		try {
			providers.forEach(builder::provider);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException("A LockProvider bean is invalid: " + ex.getMessage(),
					"Correct the bean. In a test, use no mock: annotate the test class with @AutoConfigureTestLocks of lock-spring-boot-test, or set lock.provider=local.",
					ex);
		}
		DefaultProviderName.requireAll(properties.providers(), providers);
		logger.info("Lock providers and their capabilities: {}",
				providers.stream().map((each) -> each.name() + new TreeSet<>(each.capabilities())).toList());
		listeners.orderedStream().forEach(builder::listener);
		observers.orderedStream().forEach(builder::observer);
		layout.ifAvailable(builder::keyLayout);
		String byDefault = DefaultProviderName.choose(properties.provider(), providers);
		TemplateSettings settings = new TemplateSettings(properties);
		boolean allEvents = properties.events() == LockProperties.Events.ALL;
		settings.applyTo(builder.defaultProvider(byDefault).listener(new ApplicationEvents(events, allEvents)),
				environment);
		DefaultLockTemplate template = customized(builder, customizers);
		providers.stream()
			.filter((each) -> each.name().equals(byDefault))
			.forEach((each) -> settings.requireServed(template, each));
		return template;
	}

	private static DefaultLockTemplate customized(LockTemplateBuilder builder,
			ObjectProvider<LockTemplateBuilderCustomizer> customizers) {
		try {
			customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException(
					"A LockTemplateBuilderCustomizer bean sets an invalid value: " + ex.getMessage(),
					"Correct the value in the bean.", ex);
		}
	}

	@Bean
	static BeanFactoryPostProcessor distributedLockProviderChoice(Environment environment) {
		return (beans) -> {
			DurationTexts.requireUnits(environment);
			if (!environment.containsProperty("lock.provider") && LockProviderBeans.areForOurTemplate(beans)) {
				LockProviderBeans.requireSingle(beans);
			}
		};
	}

	// each context needs its own: the post-processor of a parent context does not process
	// the beans of its children
	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(ObjectProvider<LockTemplate> template,
			Environment environment) {
		return LockAdviceSettings.postProcessor(template, environment);
	}

	// after the post-processor, which tells first what a provider can never do
	@Bean
	@ConditionalOnBooleanProperty("lock.fail-fast")
	@ConditionalOnBean(value = LockTemplate.class, search = SearchStrategy.CURRENT)
	BackendsAtStart distributedLockBackendsAtStart(ListableBeanFactory beans,
			ObjectProvider<DistributedLockBeanPostProcessor> annotated, LockProperties properties) {
		return new BackendsAtStart(beans, properties.provider(), annotated);
	}

}
