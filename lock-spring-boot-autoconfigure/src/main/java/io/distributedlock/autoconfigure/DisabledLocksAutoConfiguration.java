package io.distributedlock.autoconfigure;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of an application whose locks are switched off. What it injects and
 * calls is there as usual, and locks nothing.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "lock.enabled", havingValue = false)
public final class DisabledLocksAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(DisabledLocksAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean(LockTemplate.class)
	LockTemplate distributedLockTemplate(ObjectProvider<LockTemplateBuilderCustomizer> customizers) {
		logger.warn(
				"Distributed locks are OFF: lock.enabled is false. Annotated methods and the LockTemplate run their work without a lock, at the same time as other instances");
		LockTemplateBuilder builder = DefaultLockTemplate.builder().unlocked();
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder.build();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(ObjectProvider<LockTemplate> template,
			Environment environment) {
		return LockAdviceSettings.postProcessor(template, environment);
	}

}
