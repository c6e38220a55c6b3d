package io.distributedlock.application;

import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application has the starter of Redisson itself, and adds that of this library: locks
 * use its client, and its caches and data access stay as it chooses.
 */
@Timeout(120)
class RedissonStarterTests {

	@Test
	void clientOfTheApplicationIsUsed() {
		try (RedisTestServer server = RedisTestServer.run(); ConfigurableApplicationContext context = start(server)) {
			assertThat(context.getBeanNamesForType(RedissonClient.class)).hasSize(1)
				.doesNotContain("distributedLockRedissonClient");
			RedissonClient client = context.getBean(RedissonClient.class);
			LockHandle held = context.getBean(Orders.class).settle("7", LockContext::current);
			assertThat(held.provider()).isEqualTo("redisson");
			boolean locked = context.getBean(Orders.class)
				.settle("7", () -> client.getLock(LockContext.current().key()).isLocked());
			assertThat(locked).isTrue();
			assertThat(client.getLock(held.key()).isLocked()).isFalse();
			assertThat(context.getBean(CacheManager.class)).isInstanceOf(ConcurrentMapCacheManager.class);
			StringRedisTemplate data = context.getBean(StringRedisTemplate.class);
			data.opsForValue().set("greeting", "hello");
			assertThat(server.command("GET", "greeting")).isEqualTo("hello");
		}
	}

	private static ConfigurableApplicationContext start(RedisTestServer server) {
		// a JVM that has just started loads the client for seconds while other tests run
		return new SpringApplicationBuilder(Application.class).run("--spring.data.redis.port=" + server.port(),
				"--spring.cache.type=simple", "--lock.command-timeout=20s");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	@Import(Orders.class)
	static class Application {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		public <T> T settle(String id, Supplier<T> work) {
			return work.get();
		}

	}

}
