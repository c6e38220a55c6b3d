package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;

/**
 * Clients of Lettuce that share their threads.
 */
final class Clients {

	private static final ClientResources RESOURCES = DefaultClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.build();

	private Clients() {
	}

	static ClientResources resources() {
		return RESOURCES;
	}

	static RedisClient client(String url) {
		return RedisClient.create(RESOURCES, url);
	}

	/**
	 * Return whether a key is a counter of tokens, which outlives all leases.
	 */
	static boolean isCounter(String key) {
		return key.matches("lock:\\{\\w*}");
	}

	static void shutdown(AbstractRedisClient client) {
		client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
	}

	static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
