package io.distributedlock.redisson;

import java.util.function.Consumer;

import io.distributedlock.test.patience.Patience;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/**
 * Clients of Redisson with few threads and connections.
 */
final class Clients {

	private Clients() {
	}

	static RedissonClient connect(String url) {
		return connect(url, (server) -> {
		});
	}

	/**
	 * Return a client of a server that never stops, for tests on a busy machine.
	 */
	static RedissonClient patient(String url) {
		return Redisson.create(patientConfig(url));
	}

	static Config patientConfig(String url) {
		Config config = config(url);
		config.useSingleServer().setTimeout((int) Patience.LIMIT.toMillis());
		return config;
	}

	static RedissonClient connect(String url, Consumer<SingleServerConfig> customizer) {
		Config config = config(url);
		customizer.accept(config.useSingleServer());
		return Redisson.create(config);
	}

	/**
	 * Return a configuration without servers, whose client has few threads.
	 */
	static Config config() {
		Config config = new Config();
		config.setThreads(4);
		config.setNettyThreads(4);
		return config;
	}

	static Config config(String url) {
		Config config = config();
		config.useSingleServer()
			.setAddress(url)
			.setConnectionMinimumIdleSize(2)
			.setConnectionPoolSize(8)
			.setTimeout(1000)
			.setRetryAttempts(1);
		return config;
	}

}
