package io.distributedlock.autoconfigure.health;

import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.CompositeHealthContributor;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthContributor;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The health contributor {@code locks} of Spring Boot 3.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("locks")
class Boot3LockHealth {

	@Bean
	@ConditionalOnMissingBean(name = { "locksHealthContributor", "locksHealthIndicator" })
	HealthContributor locksHealthContributor(ListableBeanFactory beans, ObjectProvider<LockProvider> providers,
			LockProperties properties) {
		return CompositeHealthContributor.fromMap(LockProviderHealth.ofAll(beans, providers, properties),
				Boot3LockHealth::indicator);
	}

	private static HealthIndicator indicator(LockProviderHealth provider) {
		return () -> {
			LockProviderHealth.Answer answer = provider.health();
			return Health.status(answer.status()).withDetails(answer.details()).build();
		};
	}

}
