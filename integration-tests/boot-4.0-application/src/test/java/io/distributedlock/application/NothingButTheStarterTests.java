package io.distributedlock.application;

import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestProxy;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of Spring Boot 4.0 needs a starter and its Redis.
 */
class NothingButTheStarterTests {

	/**
	 * A JVM that has just started loads the client for seconds while other tests run.
	 */
	private static final String COLD_START = "--lock.command-timeout=20s";

	@ParameterizedTest
	@ValueSource(strings = { "redisson", "redis" })
	void annotatedMethodIsLocked(String provider) {
		assertThat(SpringBootVersion.getVersion()).startsWith("4.0.");
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret");
				ConfigurableApplicationContext context = SpringApplication.run(Shop.class,
						"--spring.application.name=shop", "--lock.provider=" + provider, COLD_START,
						"--spring.data.redis.url=redis://:s3cret@127.0.0.1:" + server.port())) {
			Object held = context.getBean(Orders.class)
				.settle("42", () -> server.command("EXISTS", LockContext.current().key()));
			assertThat(held).isEqualTo(1L);
			assertThat(server.command("EXISTS", "shop:lock:order:42")).isEqualTo(0L);
		}
	}

	/**
	 * A service that looks like a single server and leads to a cluster.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redisson", "redis" })
	void annotatedMethodIsLockedBehindAProxy(String provider) throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.run();
				RedisTestProxy proxy = RedisTestProxy.before(cluster);
				ConfigurableApplicationContext context = SpringApplication.run(Shop.class,
						"--spring.application.name=shop", "--lock.provider=" + provider, COLD_START,
						"--spring.data.redis.url=" + proxy.url())) {
			Object held = context.getBean(Orders.class)
				.settle("42", () -> isHeld(cluster, LockContext.current().key()));
			assertThat(held).isEqualTo(true);
			assertThat(isHeld(cluster, "shop:lock:order:42")).isFalse();
		}
	}

	private static boolean isHeld(RedisTestCluster cluster, String key) {
		return Long.valueOf(1).equals(cluster.primaryOf(key).command("EXISTS", key));
	}

	@SpringBootApplication
	@Import(Orders.class)
	static class Shop {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		public Object settle(String id, Supplier<Object> work) {
			return work.get();
		}

	}

}
