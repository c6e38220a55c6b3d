package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.RedisClusterContract;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisClusterTests extends RedisClusterContract {

	private static RedisClusterClient client;

	@BeforeAll
	static void connect() {
		client = RedisClusterClient.create(Clients.resources(), RedisURI.create(cluster().servers().get(0).url()));
	}

	@AfterAll
	static void disconnect() {
		Clients.shutdown(client);
	}

	@Override
	protected LockProvider provider() {
		return new RedisLockProvider(client, Duration.ofSeconds(2));
	}

	@Override
	protected void writeFenced(String key, String value, long token) {
		try (RedisFencedResource resource = new RedisFencedResource(client, Duration.ofSeconds(2))) {
			resource.set(key, value, token);
		}
	}

}
