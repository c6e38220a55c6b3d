package io.distributedlock.autoconfigure.endpoint;

import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockActivity;
import io.distributedlock.spi.LockProvider;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
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
@ConditionalOnSingleCandidate(LockTemplate.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint distributedLocksEndpoint(LockTemplate template, ObjectProvider<LockProvider> providers,
			RecentLosses losses, LocksEndpointProperties properties, LockProperties lockProperties,
			ApplicationEventPublisher events) {
		// another one in a test that has a mock instead
		DefaultLockTemplate ours = (template instanceof DefaultLockTemplate each) ? each : null;
		Supplier<LockActivity> activity = (ours != null) ? ours::activity
				: () -> new LockActivity(List.of(), List.of());
		ShownKeys keys = new ShownKeys(properties.showKeys());
		KeyOwners owners = (ours != null) ? new KeyOwners(ours, lockProperties.commandTimeout(), keys, events) : null;
		return new LocksEndpoint(activity, providers.orderedStream().toList(), losses, keys, owners);
	}

	@Bean
	RecentLosses distributedLockRecentLosses() {
		return new RecentLosses();
	}

}
