package io.distributedlock.autoconfigure.endpoint;

import java.util.List;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.LockTemplates;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the actuator endpoint {@code locks}. It is there only where the
 * application exposes it, by {@code management.endpoints.web.exposure.include=locks}.
 *
 * @since 0.1
 */
// as late as what it comes after: with the usual order it would draw that forward
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 8)
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "lock.enabled", matchIfMissing = true)
@ConditionalOnBean(LockTemplate.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint distributedLocksEndpoint(ListableBeanFactory beans, ObjectProvider<LockProvider> providers,
			RecentLosses losses, LocksEndpointProperties properties, LockProperties lockProperties,
			ApplicationEventPublisher events) {
		List<DefaultLockTemplate> templates = LockTemplates
			.of(BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, LockTemplate.class, false, true).values());
		KeyOwners owners = new KeyOwners(templates, lockProperties.commandTimeout(),
				new ShownKeys(properties.showKeys()), events);
		return new LocksEndpoint(providers.orderedStream().toList(), losses, owners);
	}

	@Bean
	RecentLosses distributedLockRecentLosses() {
		return new RecentLosses();
	}

}
