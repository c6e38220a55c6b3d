package io.distributedlock.autoconfigure.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.client.MockMvcWebTestClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client sees when a lock is not acquired, or is lost.
 */
class LockProblemsTests {

	private static final AutoConfigurations LOCKS = AutoConfigurations.of(AopAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
			LockProblemsAutoConfiguration.class);

	private static final String[] PROPERTIES = { "lock.provider=local", "lock.key-prefix=secret", "lock.wait-time=0" };

	private static final String SWITCHED_ON = "lock.web.problem-details=true";

	private static final Map<String, Integer> STATUS = Map.of("contended", 409, "crowded", 409, "interrupted", 503,
			"closed", 503, "no_thread", 503, "unavailable", 503, "lost", 500, "future", 503, "other", 418);

	private final WebApplicationContextRunner servlets = new WebApplicationContextRunner().withConfiguration(LOCKS)
		.withPropertyValues(PROPERTIES)
		.withUserConfiguration(Servlets.class);

	private final ReactiveWebApplicationContextRunner flux = new ReactiveWebApplicationContextRunner()
		.withConfiguration(LOCKS)
		.withPropertyValues(PROPERTIES)
		.withUserConfiguration(Flux.class);

	@Test
	void servletsAnswerWithAStatusForEach() {
		this.servlets.withPropertyValues(SWITCHED_ON).run((context) -> checkAnswers(context, servlets(context)));
	}

	@Test
	void webFluxAnswersWithAStatusForEach() {
		this.flux.withPropertyValues(SWITCHED_ON).run((context) -> checkAnswers(context, flux(context)));
	}

	@Test
	void nothingChangesByDefault() {
		this.servlets
			.run((context) -> servlets(context).get().uri("/fails/lost").exchange().expectStatus().isEqualTo(418));
		this.flux.run((context) -> flux(context).get().uri("/fails/lost").exchange().expectStatus().isEqualTo(418));
	}

	@Test
	void adviceOfTheApplicationWithALowerOrderComesFirst() {
		this.servlets.withPropertyValues(SWITCHED_ON)
			.withUserConfiguration(LockAnswers.class)
			.run((context) -> servlets(context).get()
				.uri("/fails/contended")
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.LOCKED)
				.expectBody(String.class)
				.value((body) -> assertThat(body).contains("secret:orders:1")));
	}

	private static void checkAnswers(ApplicationContext context, WebTestClient web) {
		STATUS.forEach((failure, status) -> web.get()
			.uri("/fails/" + failure)
			.exchange()
			.expectStatus()
			.isEqualTo(status)
			.expectBody(String.class)
			.value((body) -> assertThat(body).doesNotContain("secret")));
		web.get().uri("/orders").exchange().expectStatus().isBadRequest();
		web.get().uri("/orders?id=").exchange().expectStatus().isBadRequest();
		web.get().uri("/orders?id=1").exchange().expectStatus().isOk();
		LockHandle held = CompletableFuture
			.supplyAsync(() -> context.getBean(LockTemplate.class).acquire(LockRequest.of("1").withName("orders")),
					(task) -> new Thread(task).start())
			.join();
		web.get()
			.uri("/orders?id=1")
			.exchange()
			.expectStatus()
			.isEqualTo(409)
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("Another request is working on the same. Try again later.");
		held.close();
	}

	private static WebTestClient servlets(WebApplicationContext context) {
		return MockMvcWebTestClient.bindToApplicationContext(context)
			.configureClient()
			.responseTimeout(Duration.ofMinutes(1))
			.build();
	}

	private static WebTestClient flux(ApplicationContext context) {
		return WebTestClient.bindToApplicationContext(context)
			.configureClient()
			.responseTimeout(Duration.ofMinutes(1))
			.build();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebMvc
	@Import({ Orders.class, Others.class })
	static class Servlets {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	@Import({ Orders.class, Others.class })
	static class Flux {

	}

	@RestController
	static class Orders {

		@GetMapping("/orders")
		@DistributedLock(name = "orders", key = "#id")
		public String change(@RequestParam(name = "id", required = false) @Nullable String id) {
			return "changed";
		}

		@GetMapping("/fails/{failure}")
		public CompletableFuture<String> fail(@PathVariable("failure") String failure) {
			RuntimeException exception = switch (failure) {
				case "unavailable", "future" ->
					new LockUnavailableException("secret:orders:1", "redis", "secret refused", null);
				case "lost" -> new LockLostException("secret:orders:1", "redis", "secret lost", null);
				case "other" -> new IllegalArgumentException("secret");
				default -> new LockNotAcquiredException("secret:orders:1", "redis",
						Reason.valueOf(failure.toUpperCase(java.util.Locale.ROOT)), Duration.ZERO, "secret held", null);
			};
			if (failure.equals("future")) {
				return CompletableFuture.supplyAsync(() -> {
					throw exception;
				});
			}
			throw exception;
		}

	}

	/**
	 * As many applications have one.
	 */
	@RestControllerAdvice
	static class Others {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> anything() {
			return ResponseEntity.status(418).body("anything");
		}

	}

	@RestControllerAdvice
	@Order(-1)
	static class LockAnswers {

		@ExceptionHandler
		ProblemDetail busy(LockNotAcquiredException ex) {
			ProblemDetail answer = ProblemDetail.forStatus(HttpStatus.LOCKED);
			answer.setProperty("lock", ex.getKey());
			return answer;
		}

	}

}
