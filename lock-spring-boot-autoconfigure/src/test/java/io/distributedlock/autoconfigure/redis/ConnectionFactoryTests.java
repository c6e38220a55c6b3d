package io.distributedlock.autoconfigure.redis;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockHandle;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.redis.RedisLockProvider;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The provider {@code redis} uses the application's {@link LettuceConnectionFactory},
 * however its bean is declared, and never guesses between two.
 */
class ConnectionFactoryTests {

	private static @Nullable RedisTestServer server;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, RedisLockAutoConfiguration.class))
		.withPropertyValues("lock.provider=redis", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1");

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		server().close();
	}

	@ParameterizedTest
	@ValueSource(classes = { RedisConnectionFactory.class, ReactiveRedisConnectionFactory.class,
			LettuceConnectionFactory.class })
	void isUsedHoweverItIsDeclared(Class<Object> declared) {
		this.runner.withBean("factory", declared, () -> declared.cast(factory(server().port())))
			.run(ConnectionFactoryTests::requireLocks);
	}

	@Test
	void anotherClientThanLettuceLeavesLocksToTheProperties() {
		this.runner.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.withPropertyValues("spring.data.redis.port=" + server().port())
			.run(ConnectionFactoryTests::requireLocks);
	}

	@Test
	void oneThatIsNoDefaultCandidateIsLeftToItsOwner() {
		this.runner
			.withBean("other", LettuceConnectionFactory.class, () -> factory(1),
					(definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
			.withPropertyValues("spring.data.redis.port=" + server().port())
			.run(ConnectionFactoryTests::requireLocks);
	}

	@Test
	void primaryOfTwoIsUsed() {
		this.runner
			.withBean("locks", RedisConnectionFactory.class, () -> factory(server().port()),
					(definition) -> definition.setPrimary(true))
			.withBean("cache", LettuceConnectionFactory.class, () -> factory(1))
			.run(ConnectionFactoryTests::requireLocks);
	}

	@Test
	void twoOfWhichNoneIsPrimaryAreNamed() {
		this.runner.withBean("locks", RedisConnectionFactory.class, () -> factory(server().port()))
			.withBean("cache", LettuceConnectionFactory.class, () -> factory(1))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockSetupException.class)
				.hasMessageContaining("'redis'")
				.hasMessageContaining("[cache, locks]"));
	}

	@Test
	void oneOfTwoIsChosenByAProviderOfTheApplication() {
		this.runner.withUserConfiguration(Chosen.class).run(ConnectionFactoryTests::requireLocks);
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2",
			"spring.data.redis.masterreplica.nodes[0]=127.0.0.1:1" })
	void oneWithoutASinglePrimaryIsRefused(String nodes) {
		this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues(nodes, "spring.data.redis.client-type=lettuce")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockSetupException.class)
				.hasMessageContaining("spring.data.redis.masterreplica.nodes"));
	}

	private static void requireLocks(ApplicationContext context) {
		try (LockHandle handle = context.getBean(LockTemplate.class).acquire("k")) {
			assertThat(server().command("EXISTS", handle.key())).isEqualTo(1L);
		}
	}

	private static LettuceConnectionFactory factory(int port) {
		return new LettuceConnectionFactory("127.0.0.1", port);
	}

	private static RedisTestServer server() {
		return Objects.requireNonNull(server);
	}

	@Configuration(proxyBeanMethods = false)
	static class Chosen {

		@Bean
		RedisConnectionFactory locks() {
			return factory(server().port());
		}

		@Bean
		RedisConnectionFactory cache() {
			return factory(1);
		}

		@Bean
		RedisLockProvider redisLockProvider(@Qualifier("locks") RedisConnectionFactory factory) {
			LettuceConnectionFactory lettuce = (LettuceConnectionFactory) factory;
			return new RedisLockProvider(lettuce::getRequiredNativeClient, Duration.ofSeconds(30), "lock");
		}

	}

}
