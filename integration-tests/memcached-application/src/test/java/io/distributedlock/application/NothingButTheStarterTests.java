package io.distributedlock.application;

import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.server.MemcachedTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With the starter of Memcached and the address of a server, two nodes of an application
 * exclude each other.
 */
@Timeout(300)
class NothingButTheStarterTests {

	@Test
	void nodesExcludeEachOther() throws Exception {
		try (MemcachedTestServer server = MemcachedTestServer.run();
				ConfigurableApplicationContext node = start("127.0.0.1:" + server.port());
				ConfigurableApplicationContext other = start("127.0.0.1:" + server.port())) {
			Orders orders = node.getBean(Orders.class);
			Orders ordersOfOther = other.getBean(Orders.class);
			assertThat(orders.settle("7", () -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> ordersOfOther.settle("7", () -> "twice"));
				return LockContext.current().provider();
			})).isEqualTo("memcached");
			assertThat(ordersOfOther.settle("7", () -> "settled")).isEqualTo("settled");
		}
	}

	@Test
	void redissonIsNotOnTheClassPath() {
		assertThat(ClassUtils.isPresent("org.redisson.Redisson", null)).isFalse();
	}

	private static ConfigurableApplicationContext start(String address) {
		// a JVM that has just started loads the client for seconds while other tests run
		return new SpringApplicationBuilder(Application.class).run("--lock.memcached.servers=" + address,
				"--spring.application.name=shop", "--lock.command-timeout=20s");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class Application {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id", waitTime = "0")
		public String settle(String id, Supplier<String> work) {
			return work.get();
		}

	}

}
