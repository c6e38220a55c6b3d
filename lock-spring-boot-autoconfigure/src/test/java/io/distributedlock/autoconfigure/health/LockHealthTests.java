package io.distributedlock.autoconfigure.health;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.AskedProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedisLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedissonLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The health of the backends, as the endpoint of Spring Boot shows it.
 */
class LockHealthTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LocalLockAutoConfiguration.class, RedisLockAutoConfiguration.class, LockHealthAutoConfiguration.class,
				HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class,
				HealthEndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=health", "lock.command-timeout=1s");

	@Test
	void everyProviderHasAnEntryWithItsRoundTrip() {
		this.runner.withPropertyValues("lock.provider=local").run((context) -> {
			Health health = healthOf(context, "local");
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("provider", "local")
				.containsOnlyKeys("provider", "roundTripMs");
			assertThat((Double) health.getDetails().get("roundTripMs")).isBetween(0.0, 1000.0);
		});
	}

	@Test
	void redisIsUpThenDownThenUp() {
		try (RedisTestServer redis = RedisTestServer.run()) {
			this.runner.withPropertyValues("lock.provider=redis", "spring.data.redis.port=" + redis.port())
				.run((context) -> {
					awaitUp(context);
					redis.suspend();
					try {
						Health down = healthOf(context, "redis");
						assertThat(down.getStatus()).isEqualTo(Status.DOWN);
						assertThat(down.getDetails()).containsEntry("provider", "redis");
						assertThat(down.getDetails().get("error")).asString().contains("answer");
					}
					finally {
						redis.resume();
					}
					awaitUp(context);
				});
		}
	}

	/**
	 * Its client connects with the first command.
	 */
	@Test
	void redissonIsUpRightAfterAColdStart() {
		try (RedisTestServer redis = RedisTestServer.run()) {
			for (int i = 0; i < 3; i++) {
				this.runner.withConfiguration(AutoConfigurations.of(RedissonLockAutoConfiguration.class))
					.withPropertyValues("lock.provider=redisson", "spring.data.redis.port=" + redis.port(),
							"lock.command-timeout=30s")
					.run((context) -> assertThat(healthOf(context, "redisson").getStatus()).isEqualTo(Status.UP));
			}
		}
	}

	@Test
	void providerThatHangsIsDownAfterTheCommandTimeout() {
		asked(new CompletableFuture<>()).run((context) -> {
			long begin = System.nanoTime();
			Health health = healthOf(context, "asked");
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofSeconds(2),
					Duration.ofSeconds(20));
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("error")).asString().contains("command time-out of 1s");
		});
	}

	@Test
	void providerThatAnswersForTheFirstTimeMayTakeLonger() {
		AtomicInteger pings = new AtomicInteger();
		asked(() -> (pings.incrementAndGet() == 1) ? new CompletableFuture<>()
				: CompletableFuture.completedFuture(null))
			.run((context) -> {
				assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.UP);
				assertThat(pings).hasValue(2);
			});
	}

	/**
	 * Otherwise each request would last for two time-outs as long as the backend is away.
	 */
	@Test
	void providerThatHasNeverAnsweredIsAskedTwiceForTheFirstTimeOnly() {
		AtomicInteger pings = new AtomicInteger();
		asked(() -> {
			pings.incrementAndGet();
			return CompletableFuture.failedFuture(new BackendException("unplugged", true, null));
		}).run((context) -> {
			assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.DOWN);
			assertThat(pings).hasValue(2);
			assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.DOWN);
			assertThat(pings).hasValue(3);
		});
	}

	@Test
	void onlyMessagesOfBackendExceptionsAreShown() {
		asked(CompletableFuture
			.failedFuture(new IllegalStateException("cannot connect to redis://user:secret@localhost")))
			.run((context) -> assertThat(healthOf(context, "asked").getDetails().get("error"))
				.isEqualTo("java.lang.IllegalStateException"));
		asked(CompletableFuture.failedFuture(new BackendException("check its address", true, null)))
			.run((context) -> assertThat(healthOf(context, "asked").getDetails().get("error"))
				.isEqualTo("io.distributedlock.spi.BackendException: check its address"));
	}

	@Test
	void providerThatCannotBeAskedIsUnknown() {
		asked(CompletableFuture.failedFuture(new UnsupportedOperationException("no"))).run((context) -> {
			Health health = healthOf(context, "asked");
			assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(health.getDetails().get("reason")).asString().contains("ping()");
		});
	}

	/**
	 * One exception would take the whole endpoint away.
	 */
	@Test
	void providerThatTheTemplateOfTheApplicationLacksIsUnknown() {
		asked(CompletableFuture.completedFuture(null))
			.withBean(LockTemplate.class, () -> DefaultLockTemplate.builder().provider(new LocalLockProvider()).build())
			.run((context) -> {
				Health health = healthOf(context, "asked");
				assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
				assertThat(health.getDetails().get("reason")).asString().contains("LockTemplate");
				assertThat(context.getBean(HealthEndpoint.class).health().getStatus()).isNotEqualTo(Status.DOWN);
			});
	}

	@Test
	void providersOfEachTemplateHaveEntriesAlsoBehindAProxy() {
		AskedProvider down = new AskedProvider(
				() -> CompletableFuture.failedFuture(new BackendException("unplugged", true, null)));
		DefaultLockTemplate local = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
		DefaultLockTemplate own = DefaultLockTemplate.builder().provider(down).build();
		ApplicationContextRunner proxied = asked(CompletableFuture.completedFuture(null)).withBean("own",
				LockTemplate.class, () -> (LockTemplate) new ProxyFactory(own).getProxy());
		proxied.run((context) -> assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.DOWN));
		proxied.withBean("local", LockTemplate.class, () -> local).run((context) -> {
			assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.DOWN);
			assertThat(healthOf(context, "local").getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void providersOfSeveralTemplatesWithTheSameNameHaveNumbers() {
		AskedProvider down = new AskedProvider(
				() -> CompletableFuture.failedFuture(new BackendException("unplugged", true, null)));
		AskedProvider fine = new AskedProvider(() -> CompletableFuture.completedFuture(null));
		this.runner.withPropertyValues("lock.provider=local")
			.withBean("first", LockTemplate.class,
					() -> DefaultLockTemplate.builder().provider(fine).provider(new LocalLockProvider()).build())
			.withBean("second", LockTemplate.class, () -> DefaultLockTemplate.builder().provider(down).build())
			.run((context) -> {
				assertThat(healthOf(context, "asked").getStatus()).isEqualTo(Status.UP);
				assertThat(healthOf(context, "asked-2").getStatus()).isEqualTo(Status.DOWN);
				assertThat(healthOf(context, "local").getStatus()).isEqualTo(Status.UP);
			});
	}

	@Test
	void endpointShowsItAsLocks() {
		this.runner.withPropertyValues("lock.provider=local").run((context) -> {
			CompositeHealthDescriptor health = (CompositeHealthDescriptor) context.getBean(HealthEndpoint.class)
				.health();
			assertThat(health.getComponents()).containsKey("locks");
			CompositeHealthDescriptor locks = (CompositeHealthDescriptor) health.getComponents().get("locks");
			assertThat(locks.getComponents()).containsOnlyKeys("local");
		});
	}

	@Test
	void readinessAndLivenessDoNotHaveIt() {
		asked(CompletableFuture.failedFuture(new BackendException("down", true, null)))
			.withPropertyValues("management.endpoint.health.probes.enabled=true")
			.withConfiguration(AutoConfigurations.of(
					org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration.class,
					org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration.class))
			.run((context) -> {
				assertThat(context).hasSingleBean(ApplicationAvailability.class);
				HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
				assertThat(endpoint.health().getStatus()).isEqualTo(Status.DOWN);
				assertThat(endpoint.healthForPath("liveness", "locks")).isNull();
				assertThat(endpoint.healthForPath("readiness", "locks")).isNull();
			});
	}

	@Test
	void itCanBeSwitchedOff() {
		this.runner.withPropertyValues("lock.provider=local", "management.health.locks.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("locksHealthContributor"));
	}

	@Test
	void anApplicationWithoutHealthStarts() {
		new ApplicationContextRunner().withUserConfiguration(Imports.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.withPropertyValues("lock.provider=local")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LocalLockProvider.class)
				.doesNotHaveBean(Boot4LockHealth.class));
	}

	/**
	 * By name, as an application imports them, and not by class.
	 */
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
			LockHealthAutoConfiguration.class })
	static class Imports {

	}

	private ApplicationContextRunner asked(CompletableFuture<?> answer) {
		return asked(() -> answer);
	}

	private ApplicationContextRunner asked(Supplier<CompletableFuture<?>> answers) {
		return this.runner.withBean(LockProvider.class, () -> new AskedProvider(answers));
	}

	/**
	 * The first command also connects, which takes a while on a busy machine.
	 */
	private static void awaitUp(AssertableApplicationContext context) {
		Patience.await().until(() -> healthOf(context, "redis").getStatus().equals(Status.UP));
	}

	private static Health healthOf(AssertableApplicationContext context, String provider) {
		HealthContributors locks = (HealthContributors) context.getBean("locksHealthContributor");
		HealthIndicator indicator = (HealthIndicator) locks.getContributor(provider);
		assertThat(indicator).isNotNull();
		Health health = indicator.health();
		assertThat(health).isNotNull();
		return health;
	}

}
