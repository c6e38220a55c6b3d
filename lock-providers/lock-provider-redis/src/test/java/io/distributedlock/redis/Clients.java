package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
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

	private static final AtomicBoolean FIRST = new AtomicBoolean(true);

	private Clients() {
	}

	static ClientResources resources() {
		return RESOURCES;
	}

	static RedisClient client(String url) {
		return client(RESOURCES, url);
	}

	static RedisClient client(ClientResources resources, String url) {
		RedisClient client = RedisClient.create(resources, url);
		if (FIRST.compareAndSet(true, false)) {
			loadClasses(client);
		}
		return client;
	}

	/**
	 * Connect once in each JVM: on a busy machine that takes longer than the time-outs of
	 * tests, and none of them is about it.
	 */
	private static void loadClasses(RedisClient client) {
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().ping();
		}
		catch (RedisException ex) {
			// such as a server that is down: the classes are loaded all the same
		}
	}

	/**
	 * Return whether a key is a counter of tokens, which outlives all leases.
	 */
	static boolean isCounter(String key) {
		return key.matches("lock:\\{~\\w*}");
	}

	static void shutdown(AbstractRedisClient client) {
		client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
	}

	static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
