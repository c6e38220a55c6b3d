package io.distributedlock.boot.test;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.locks.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which providers are replaced, for each way to choose them. The class path has the
 * modules for {@code redisson}, {@code redis} and {@code jdbc}.
 */
class ReplacementTests {

	@Test
	void providerOfTheApplicationIsReplaced() {
		try (ConfigurableApplicationContext context = start(OwnProvider.class)) {
			LockProvider provider = context.getBean(LockProvider.class);
			assertThat(provider.name()).isEqualTo("own");
			assertThat(provider.capabilities()).containsExactly(LockCapability.LOCK_DELAY);
			context.getBean(LockTemplate.class)
				.execute("a", () -> assertThat(context.getBean(TestLocks.class)).isHeld("a"));
		}
	}

	@Test
	void providerOfTheApplicationCanBeTheDefault() {
		try (ConfigurableApplicationContext context = start(OwnProvider.class, "--lock.provider=own",
				"--lock.providers=jdbc")) {
			assertThat(context.getBeanProvider(LockProvider.class).stream().map(LockProvider::name))
				.containsExactlyInAnyOrder("own", "jdbc");
			context.getBean(LockTemplate.class).execute("a", () -> {
			});
		}
	}

	@Test
	void severalProvidersAreAsAmbiguousAsTheRealOnes() {
		assertThatExceptionOfType(InvalidLockSetupException.class).isThrownBy(() -> start(Empty.class))
			.withMessageContaining("[redisson, redis, jdbc]");
	}

	@Test
	void strategyOfTheDatabaseDecidesWhatItCanDo() {
		try (ConfigurableApplicationContext context = start(Empty.class, "--lock.provider=jdbc",
				"--lock.jdbc.strategy=for-update")) {
			assertThat(context.getBean(LockProvider.class).capabilities()).doesNotContain(LockCapability.FAIR);
		}
	}

	@Test
	void unknownProviderIsRefusedAsInProduction() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> start(Empty.class, "--lock.provider=reddis"))
			.withRootCauseInstanceOf(InvalidLockSetupException.class)
			.withMessageContaining("'reddis'");
	}

	@Test
	void templateThatIsCreatedLateUsesTheTestLocks() {
		try (ConfigurableApplicationContext context = start(Empty.class, "--lock.provider=jdbc",
				"--spring.main.lazy-initialization=true")) {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.execute("a", () -> assertThat(context.getBean(TestLocks.class)).isHeld("a"));
		}
	}

	/**
	 * Such as the one that validates parameters, which asks for its filters: Spring would
	 * warn that the test locks are created too early.
	 */
	@Test
	void postProcessorThatAsksForBeansOfAnotherTypeCreatesNoTestLocks() {
		start(AskingEarly.class, "--lock.provider=jdbc").close();
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String... arguments) {
		return new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.properties("lock.test-locks.enabled=true")
			.logStartupInfo(false)
			.run(arguments);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportAutoConfiguration(TestLocksAutoConfiguration.class)
	static class Empty {

	}

	@Configuration(proxyBeanMethods = false)
	static class AskingEarly extends Empty {

		@Bean
		static BeanPostProcessor asking(ConfigurableListableBeanFactory beans) {
			assertThat(beans.getBeanNamesForType(Runnable.class)).isEmpty();
			assertThat(beans.containsSingleton("testLocks")).isFalse();
			return new BeanPostProcessor() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnProvider extends Empty {

		@Bean
		LockProvider ownProvider() {
			return new LockProvider() {

				@Override
				public String name() {
					return "own";
				}

				@Override
				public Set<LockCapability> capabilities() {
					return Set.of(LockCapability.LOCK_DELAY);
				}

				@Override
				public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
					return CompletableFuture.failedFuture(new BackendException("there is no backend", false, null));
				}

			};
		}

	}

}
