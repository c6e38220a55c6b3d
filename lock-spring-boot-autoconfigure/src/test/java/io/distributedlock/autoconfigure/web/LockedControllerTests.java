package io.distributedlock.autoconfigure.web;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods of a controller can be locked, and can take the handle of the lock as a
 * parameter.
 */
class LockedControllerTests {

	private static final AutoConfigurations LOCKS = AutoConfigurations.of(AopAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
			LockHandleParameterAutoConfiguration.class);

	@Test
	void servlets() {
		new WebApplicationContextRunner().withConfiguration(LOCKS)
			.withPropertyValues("lock.provider=local", "lock.key-prefix=shop")
			.withUserConfiguration(Servlets.class)
			.run((context) -> {
				MockMvcTester web = MockMvcTester.from(context);
				assertThat(web.get().uri("/orders/1")).bodyText().isEqualTo("shop:orders:1");
				assertThat(web.get().uri("/free/1")).bodyText().isEqualTo("no lock");
			});
	}

	@Test
	void webFlux() {
		new ReactiveWebApplicationContextRunner().withConfiguration(LOCKS)
			.withPropertyValues("lock.provider=local", "lock.key-prefix=shop")
			.withUserConfiguration(Flux.class)
			.run((context) -> {
				WebTestClient web = WebTestClient.bindToApplicationContext(context)
					.configureClient()
					.responseTimeout(Duration.ofMinutes(1))
					.build();
				web.get().uri("/orders/1").exchange().expectBody(String.class).isEqualTo("shop:orders:1");
			});
	}

	@Test
	void onlyInWebApplications() {
		new org.springframework.boot.test.context.runner.ApplicationContextRunner().withConfiguration(LOCKS)
			.withPropertyValues("lock.provider=local")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockHandleParameterAutoConfiguration.Servlet.class)
				.doesNotHaveBean(LockHandleParameterAutoConfiguration.Reactive.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@Import(Orders.class)
	static class Servlets {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	@Import(ReactiveOrders.class)
	static class Flux {

	}

	@RestController
	static class Orders {

		@GetMapping("/orders/{id}")
		@DistributedLock(name = "orders", key = "#id")
		public String change(@PathVariable("id") String id, @Nullable LockHandle lock) {
			return (lock != null) ? lock.key() : "no lock";
		}

		@GetMapping("/free/{id}")
		@DistributedLock(name = "orders", key = "#id", condition = "false")
		public String free(@PathVariable("id") String id, @Nullable LockHandle lock) {
			return (lock != null) ? lock.key() : "no lock";
		}

	}

	@RestController
	static class ReactiveOrders {

		@GetMapping("/orders/{id}")
		@DistributedLock(name = "orders", key = "#id")
		public Mono<String> change(@PathVariable("id") String id, @Nullable LockHandle lock) {
			return Mono.fromSupplier(() -> (lock != null) ? lock.key() : "no lock");
		}

	}

}
