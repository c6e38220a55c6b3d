package io.distributedlock.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Runs an example on several nodes: Spring Boot applications in this JVM that use the
 * same servers.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class Nodes {

	private static RedisTestServer redis;

	private static LocalLockProvider shared;

	private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

	@Parameter
	String provider;

	@BeforeAll
	static void startServer() {
		redis = RedisTestServer.run();
		shared = new LocalLockProvider();
	}

	@AfterAll
	static void stopServer() {
		redis.close();
	}

	@AfterEach
	void stopNodes() {
		this.nodes.forEach(ConfigurableApplicationContext::close);
	}

	/**
	 * Start a node.
	 * @param beans the classes of its beans
	 */
	final ConfigurableApplicationContext node(Class<?>... beans) {
		return node(List.of(), beans);
	}

	/**
	 * Start a node.
	 * @param properties its configuration, in addition to the provider
	 * @param beans the classes of its beans
	 */
	final ConfigurableApplicationContext node(List<String> properties, Class<?>... beans) {
		return node(properties, (context) -> {
		}, beans);
	}

	/**
	 * Start a node.
	 * @param properties its configuration, in addition to the provider
	 * @param objects registers beans that are made by the test
	 * @param beans the classes of its other beans
	 */
	final ConfigurableApplicationContext node(List<String> properties,
			ApplicationContextInitializer<GenericApplicationContext> objects, Class<?>... beans) {
		List<String> all = new ArrayList<>(List.of("lock.provider=" + this.provider,
				"spring.application.name=" + getClass().getSimpleName() + "-" + this.provider,
				"spring.data.redis.url=" + redis.url(),
				// a transaction waits for rows of another one, which may be stopped
				"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000"
					.formatted(getClass().getSimpleName()),
				"spring.datasource.generate-unique-name=false", "lock.poll-interval=50ms",
				// a first command connects, and other nodes may hold a lock for long
				"lock.command-timeout=30s", "lock.wait-time=1m", "spring.main.banner-mode=off"));
		all.addAll(properties);
		ApplicationContextInitializer<GenericApplicationContext> sharedLocks = (context) -> {
			if (this.provider.equals("local")) {
				// nodes share the locks of this provider by sharing the object
				context.registerBean(LocalLockProvider.class, () -> shared);
			}
		};
		ConfigurableApplicationContext node = new SpringApplicationBuilder(Application.class).sources(beans)
			.web(WebApplicationType.NONE)
			.properties(all.toArray(String[]::new))
			.initializers(sharedLocks, objects)
			.run();
		this.nodes.add(node);
		return node;
	}

	static String redisUrl() {
		return redis.url();
	}

	static @Nullable Object askRedis(String... command) {
		return redis.command(command);
	}

	static LockTemplate locks(ConfigurableApplicationContext node) {
		return node.getBean(LockTemplate.class);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
