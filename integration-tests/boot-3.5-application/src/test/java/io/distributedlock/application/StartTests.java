package io.distributedlock.application;

import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.spring.integration.LockTemplateLockRegistry;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopContext;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * An application starts with what its properties say. If it cannot, it says what is
 * wrong, and what to do.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartTests {

	private static final String SPRING_DATA = "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration";

	/**
	 * Without Spring Data, whose client the provider would use.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redisson", "redis" })
	void propertiesSayWhereRedisIs(String provider) {
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret");
				ConfigurableApplicationContext context = start("lock.provider=" + provider,
						"spring.data.redis.url=redis://:s3cret@127.0.0.1:" + server.port(),
						"spring.autoconfigure.exclude=" + SPRING_DATA)) {
			context.getBean(Shop.Orders.class)
				.settle("by " + provider,
						() -> assertThat(server.command("EXISTS", LockContext.current().key())).isEqualTo(1L));
		}
	}

	@Test
	void unknownProviderIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start("lock.provider=redison"));
		assertThat(output).contains("APPLICATION FAILED TO START", "redisson, redis,");
	}

	@Test
	void backendThatDoesNotAnswerIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start("lock.provider=redis", "lock.fail-fast=true",
				"spring.data.redis.port=" + RedisTestServer.freePort()));
		assertThat(output).contains("APPLICATION FAILED TO START", "cannot be reached", "Start the backend");
	}

	/**
	 * Spring Integration 6.5 has another interface.
	 */
	@Test
	void lockRegistryIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(Registry.class, "lock.provider=local"));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"LockTemplateLockRegistry needs Spring Integration 7.0", "asLock(request)");
	}

	@Test
	void lockRegistryOfOtherLocksWorks() throws Exception {
		try (ConfigurableApplicationContext context = start(OtherRegistry.class, "lock.provider=local")) {
			String key = context.getBean(LockRegistry.class).executeLocked("1", () -> LockContext.current().key());
			assertThat(key).isEqualTo("shop:lock:integration:1");
		}
	}

	/**
	 * Spring 6 exposes only the proxies of its own aspects.
	 */
	@Test
	void lockedBeanFindsItsProxy() {
		try (ConfigurableApplicationContext context = start(Exposed.class, "lock.provider=local")) {
			assertThat(context.getBean(Exposed.Orders.class).settleFirst()).isEqualTo("shop:lock:order:1");
		}
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return start(Shop.class, properties);
	}

	private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
		// nothing here counts the time-out of the other tests, which is short
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.properties(properties)
			.run("--lock.command-timeout=20s");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Registry {

		@Bean
		LockTemplateLockRegistry lockRegistry(LockTemplate template) {
			return new LockTemplateLockRegistry(template, LockRequest.of("integration"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAspectJAutoProxy(exposeProxy = true)
	@Import(Exposed.Orders.class)
	static class Exposed {

		static class Orders {

			public String settleFirst() {
				return ((Orders) AopContext.currentProxy()).settle("1");
			}

			@DistributedLock(name = "order", key = "#id")
			public String settle(String id) {
				return LockContext.current().key();
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class OtherRegistry {

		@Bean
		LockRegistry lockRegistry(LockTemplate lockTemplate) {
			return (key) -> lockTemplate.asLock(LockRequest.ofName("integration").withKey(key.toString()));
		}

	}

}
