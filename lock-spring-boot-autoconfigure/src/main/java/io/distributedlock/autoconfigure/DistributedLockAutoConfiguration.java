package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spring.DistributedLockBeanPostProcessor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the {@link LockTemplate} over the providers that there are, and
 * of the advice for annotated methods.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "lock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LockProperties.class)
public final class DistributedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockTemplate.class)
	DefaultLockTemplate lockTemplate(LockProperties properties, ObjectProvider<LockProvider> lockProviders,
			Environment environment) {
		List<LockProvider> providers = lockProviders.orderedStream().toList();
		LockTemplateBuilder builder = DefaultLockTemplate.builder();
		providers.forEach(builder::provider);
		builder.defaultProvider(DefaultProviderName.choose(properties.getProvider(), providers));
		try {
			return builder.keyPrefix(keyPrefix(properties, environment))
				.waitTime(properties.getWaitTime())
				.leaseTime(properties.getLeaseTime())
				.renewalLeaseTime(properties.getRenewal().getLeaseTime())
				.commandTimeout(properties.getCommandTimeout())
				.pollInterval(properties.getPollInterval())
				.build();
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException("A property under 'lock' cannot work: " + ex.getMessage(),
					"Correct it in the application's configuration.", ex);
		}
	}

	@Bean
	@ConditionalOnMissingBean
	static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(ObjectProvider<LockTemplate> template,
			Environment environment) {
		// LockProperties would be made too early here: post-processors come before all
		// beans
		DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(template::getObject,
				environment.getProperty("lock.spel.bean-references", Boolean.class, false));
		processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
		return processor;
	}

	private static String keyPrefix(LockProperties properties, Environment environment) {
		String prefix = properties.getKeyPrefix();
		if (prefix != null) {
			return prefix;
		}
		String application = environment.getProperty("spring.application.name", "");
		return application.isBlank() ? "lock" : application + ":lock";
	}

}
