package io.distributedlock.application;

import com.example.shop.ShopApplication;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With the starter and nothing else, annotated methods are locked on the Redis of the
 * application. A bean of connection details, as a service connection is one, names it.
 */
class LockedOrdersTests {

	@Test
	void lockIsKeptOnTheRedisOfTheConnectionDetails() {
		try (RedisTestServer server = RedisTestServer.run();
				ConfigurableApplicationContext context = start(new At(server.port()))) {
			String key = context.getBean(LockedOrders.class).settle("42", () -> LockContext.current().key());
			assertThat(key).isEqualTo("shop:lock:order:42");
			assertThat(context.getBean(LockedOrders.class).settle("42", () -> server.command("EXISTS", key)))
				.isEqualTo(1L);
			assertThat(context.getBean(StringRedisTemplate.class).hasKey(key)).isFalse();
			assertThat(context.getBeanNamesForType(LockTemplate.class))
				.containsExactly("distributedLockDefaultTemplate");
		}
	}

	private static ConfigurableApplicationContext start(DataRedisConnectionDetails details) {
		return new SpringApplicationBuilder(ShopApplication.class, LockedOrders.class)
			.initializers((GenericApplicationContext context) -> context.registerBean("serviceConnection",
					DataRedisConnectionDetails.class, () -> details))
			// a JVM that has just started loads the client for seconds
			.run("--spring.data.redis.port=1", "--spring.cache.cache-names=prices", "--lock.command-timeout=20s");
	}

	/**
	 * What a service connection says.
	 *
	 * @param port the port of the server
	 */
	private record At(int port) implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of("127.0.0.1", this.port);
		}

	}

}
