package io.distributedlock.application;

import java.util.concurrent.atomic.AtomicReference;

import com.fasterxml.jackson.databind.JsonNode;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.SpringVersion;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of Spring Boot 3.5 has with a starter what one of Spring Boot 4 has. A
 * subclass names the provider.
 */
@SpringBootTest(classes = { Shop.class, ShopTests.Redis.class },
		webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@DirtiesContext
abstract class ShopTests {

	private final String provider;

	@Autowired
	private LockTemplate template;

	@Autowired
	private Shop.Orders orders;

	@Autowired
	private TestRestTemplate client;

	ShopTests(String provider) {
		this.provider = provider;
	}

	@Test
	void versions() {
		assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
		assertThat(SpringVersion.getVersion()).startsWith("6.2.");
	}

	@Test
	void lockIsHeldUntilTheCommit() {
		AtomicReference<LockHandle> lock = new AtomicReference<>();
		AtomicReference<JsonNode> atCommit = new AtomicReference<>();
		orders().settle("1", () -> {
			lock.set(LockContext.current());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					atCommit.set(owners(lock.get().key()));
				}
			});
		});
		assertThat(atCommit.get()).hasSize(1);
		assertThat(owners(lock.get().key())).isEmpty();
		assertThat(orders().isSettled("1")).isTrue();
	}

	@Test
	void templateLocks() {
		try (LockHandle lock = this.template.acquire("stock")) {
			assertThat(owners(lock.key())).hasSize(1);
		}
	}

	@Test
	void controllerGetsItsHandle() {
		assertThat(settle("2").getBody()).isEqualTo("shop:lock:order:2");
	}

	@Test
	void contentionIsAnswered() {
		try (LockHandle lock = this.template.acquire(LockRequest.ofName("order").withKey("3"))) {
			assertThat(lock.key()).isEqualTo("shop:lock:order:3");
			assertThat(settle("3").getStatusCode().value()).isEqualTo(409);
		}
	}

	@Test
	void actuatorShowsHealthAndMeters() {
		assertThat(health().path("status").asText()).isEqualTo("UP");
		assertThat(health().at("/details/provider").asText()).isEqualTo(this.provider);
		settle("4");
		assertThat(json("/actuator/metrics/lock.acquire").path("name").asText()).isEqualTo("lock.acquire");
		assertThat(json("/actuator/metrics/lock.held").path("name").asText()).isEqualTo("lock.held");
	}

	Shop.Orders orders() {
		return this.orders;
	}

	ResponseEntity<String> settle(String id) {
		return this.client.postForEntity("/orders/" + id, null, String.class);
	}

	JsonNode health() {
		return json("/actuator/health").path("components").path("locks").path("components").path(this.provider);
	}

	/**
	 * Return the owners that the backend has for a key.
	 */
	private JsonNode owners(String key) {
		return json("/actuator/locks/" + this.provider + "/" + key).path("owners");
	}

	private JsonNode json(String path) {
		return this.client.getForObject(path, JsonNode.class);
	}

	/**
	 * A service connection, which comes before the properties.
	 */
	@TestConfiguration(proxyBeanMethods = false)
	static class Redis {

		@Bean
		RedisTestServer server() {
			return RedisTestServer.runWithPassword("s3cret");
		}

		@Bean
		RedisConnectionDetails connectionDetails(RedisTestServer server) {
			return new RedisConnectionDetails() {
				@Override
				public String getPassword() {
					return "s3cret";
				}

				@Override
				public Standalone getStandalone() {
					return Standalone.of("127.0.0.1", server.port());
				}
			};
		}

	}

}
