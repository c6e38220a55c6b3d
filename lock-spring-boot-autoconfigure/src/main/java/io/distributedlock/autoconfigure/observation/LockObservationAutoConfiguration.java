package io.distributedlock.autoconfigure.observation;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.micrometer.DefaultLockObservationConvention;
import io.distributedlock.micrometer.LockMeters;
import io.distributedlock.micrometer.LockObservationConvention;
import io.distributedlock.micrometer.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the meters and observations of locks, for an application that has
 * a {@link MeterRegistry} or an {@link ObservationRegistry}.
 * {@code lock.observations.enabled=false} switches both off.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = {
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration" })
@ConditionalOnClass(LockObservations.class)
@ConditionalOnBooleanProperty(name = { "lock.enabled", "lock.observations.enabled" }, matchIfMissing = true)
public final class LockObservationAutoConfiguration {

	private LockObservationAutoConfiguration() {
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ObservationRegistry.class)
	@ConditionalOnSingleCandidate(ObservationRegistry.class)
	static class Observations {

		@Bean
		@ConditionalOnMissingBean
		LockObservations distributedLockObservations(ObservationRegistry registry,
				ObjectProvider<LockObservationConvention> convention, LockProperties properties) {
			return new LockObservations(registry, convention
				.getIfAvailable(() -> new DefaultLockObservationConvention(properties.observations().key())));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnSingleCandidate(MeterRegistry.class)
	static class Meters {

		@Bean
		@ConditionalOnMissingBean
		LockMeters distributedLockMeters(MeterRegistry registry) {
			return new LockMeters(registry);
		}

	}

}
