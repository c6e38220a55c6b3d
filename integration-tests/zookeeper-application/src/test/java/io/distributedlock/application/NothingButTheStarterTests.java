package io.distributedlock.application;

import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import org.apache.curator.test.TestingServer;
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
 * With the starter of ZooKeeper and the address of a server, two nodes of an application
 * exclude each other.
 */
@Timeout(120)
class NothingButTheStarterTests {

	@Test
	void nodesExcludeEachOther() throws Exception {
		try (TestingServer server = new TestingServer();
				ConfigurableApplicationContext node = start(server.getConnectString());
				ConfigurableApplicationContext other = start(server.getConnectString())) {
			Orders orders = node.getBean(Orders.class);
			Orders ordersOfOther = other.getBean(Orders.class);
			assertThat(orders.settle("7", () -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> ordersOfOther.settle("7", () -> "twice"));
				return LockContext.current().provider();
			})).isEqualTo("zookeeper");
			assertThat(ordersOfOther.settle("7", () -> "settled")).isEqualTo("settled");
		}
	}

	@Test
	void redissonIsNotOnTheClassPath() {
		assertThat(ClassUtils.isPresent("org.redisson.Redisson", null)).isFalse();
	}

	private static ConfigurableApplicationContext start(String address) {
		// a JVM that has just started loads the client for seconds while other tests run
		return new SpringApplicationBuilder(Application.class).run("--lock.zookeeper.connect-string=" + address,
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
