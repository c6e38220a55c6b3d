package io.distributedlock.autoconfigure.observation;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.micrometer.DefaultLockObservationConvention;
import io.distributedlock.micrometer.LockMeters;
import io.distributedlock.micrometer.LockObservationContext;
import io.distributedlock.micrometer.LockObservationConvention;
import io.distributedlock.micrometer.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with the actuator has meters and observations of its locks, without a
 * change.
 */
class LockObservationAutoConfigurationTests {

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LocalLockAutoConfiguration.class, LockObservationAutoConfiguration.class))
		.withPropertyValues("lock.provider=local", "lock.key-prefix=shop");

	private final ApplicationContextRunner runner = this.plain.withConfiguration(
			AutoConfigurations.of(MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, ObservationAutoConfiguration.class));

	@Test
	void timersAndMetersComeFromACall() {
		this.runner.run((context) -> {
			lock(context.getBean(LockTemplate.class));
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("lock.acquire")
				.tags("lock.name", "order", "lock.provider", "local", "lock.outcome", "acquired", "lock.type",
						"exclusive")
				.timer()
				.count()).isEqualTo(1);
			assertThat(meters.get("lock.hold").tags("lock.name", "order", "lock.outcome", "released").timer().count())
				.isEqualTo(1);
			assertThat(meters.get("lock.held").tags("lock.name", "order", "lock.provider", "local").gauge().value())
				.isZero();
			assertThat(meters.getMeters()).flatExtracting((meter) -> meter.getId().getTags())
				.noneSatisfy((tag) -> assertThat(tag.getValue()).contains("42"));
		});
	}

	@Test
	void keyIsShownToTracesIfThePropertySaysSo() {
		Keys keys = new Keys();
		this.runner.withBean(ObservationHandler.class, () -> keys).run((context) -> {
			lock(context.getBean(LockTemplate.class));
			assertThat(keys.last).contains("lock.name").doesNotContain("order:42");
		});
		this.runner.withBean(ObservationHandler.class, () -> keys)
			.withPropertyValues("lock.observations.key=true")
			.run((context) -> {
				lock(context.getBean(LockTemplate.class));
				assertThat(keys.last).contains("shop:order:42");
			});
	}

	@Test
	void conventionOfTheApplicationIsUsed() {
		this.runner.withBean(LockObservationConvention.class, () -> new DefaultLockObservationConvention(false) {

			@Override
			public String getName(LockObservationContext.Phase phase) {
				return "shop." + super.getName(phase);
			}

		}).run((context) -> {
			lock(context.getBean(LockTemplate.class));
			assertThat(context.getBean(MeterRegistry.class).get("shop.lock.acquire").timer().count()).isEqualTo(1);
		});
	}

	@Test
	void switchedOffThereIsNothing() {
		this.runner.withPropertyValues("lock.observations.enabled=false").run((context) -> {
			lock(context.getBean(LockTemplate.class));
			assertThat(context).doesNotHaveBean(LockObservations.class).doesNotHaveBean(LockMeters.class);
			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneSatisfy((meter) -> assertThat(meter.getId().getName()).startsWith("lock."));
		});
	}

	@Test
	void withoutARegistryThereIsNothing() {
		this.plain.run((context) -> {
			lock(context.getBean(LockTemplate.class));
			assertThat(context).doesNotHaveBean(LockObservations.class).doesNotHaveBean(LockMeters.class);
		});
	}

	@Test
	void onlyAnObservationRegistryIsEnoughForTraces() {
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> {
				lock(context.getBean(LockTemplate.class));
				assertThat(context).hasSingleBean(LockObservations.class).doesNotHaveBean("distributedLockMeters");
			});
	}

	@Test
	void anApplicationWithoutMicrometerStarts() {
		this.plain.withClassLoader(new FilteredClassLoader("io.distributedlock.micrometer", "io.micrometer"))
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(LockObservationAutoConfiguration.class);
				lock(context.getBean(LockTemplate.class));
			});
	}

	private static void lock(LockTemplate template) {
		template.acquire(LockRequest.of("42").withName("order")).close();
	}

	/**
	 * Remembers what a trace would show.
	 */
	private static final class Keys implements ObservationHandler<Observation.Context> {

		private String last = "";

		@Override
		public void onStop(Observation.Context context) {
			this.last = context.toString();
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

	}

}
