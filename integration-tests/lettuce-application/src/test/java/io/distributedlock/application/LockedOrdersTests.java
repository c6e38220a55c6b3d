package io.distributedlock.application;

import com.example.shop.ShopApplication;
import io.distributedlock.LockContext;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.AbstractRedisClient;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With the starter and nothing else, annotated methods are locked through the connection
 * factory of the application.
 */
class LockedOrdersTests {

	@Test
	void clientOfTheConnectionFactoryIsUsed() {
		try (RedisTestServer server = RedisTestServer.run(); ConfigurableApplicationContext context = start(server)) {
			assertThat(context.getBeanNamesForType(AbstractRedisClient.class))
				.as("clients beside that of the connection factory")
				.isEmpty();
			LockedOrders orders = context.getBean(LockedOrders.class);
			assertThat(orders.settle("7", () -> server.command("EXISTS", LockContext.current().key()))).isEqualTo(1L);
		}
	}

	private static ConfigurableApplicationContext start(RedisTestServer server) {
		return SpringApplication.run(new Class<?>[] { ShopApplication.class, LockedOrders.class },
				// a JVM that has just started loads the client for seconds
				new String[] { "--spring.data.redis.port=" + server.port(), "--lock.command-timeout=20s" });
	}

}
