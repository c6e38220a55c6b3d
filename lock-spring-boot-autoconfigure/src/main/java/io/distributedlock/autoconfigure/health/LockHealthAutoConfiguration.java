package io.distributedlock.autoconfigure.health;

import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the health contributor {@code locks}, with one entry for each
 * provider. {@code management.health.locks.enabled=false} switches it off.
 *
 * @since 0.1
 */
// as late as what it comes after: with the usual order it would draw that forward
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 8)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnSingleCandidate(DefaultLockTemplate.class)
@ConditionalOnEnabledHealthIndicator("locks")
public final class LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "locksHealthContributor", "locksHealthIndicator" })
	HealthContributor locksHealthContributor(ObjectProvider<DefaultLockTemplate> templates,
			ObjectProvider<LockProvider> providers, LockProperties properties) {
		Map<String, LockProviderHealth> indicators = new LinkedHashMap<>();
		// none in a test that has a mock instead
		templates.ifAvailable((template) -> providers.orderedStream()
			.forEach((provider) -> indicators.put(provider.name(),
					new LockProviderHealth(template, provider.name(), properties.getCommandTimeout()))));
		return CompositeHealthContributor.fromMap(indicators);
	}

}
