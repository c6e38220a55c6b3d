package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

import io.distributedlock.redis.internal.client.LazyConnection;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;

class LazyConnectionTests {

	@Test
	void callerOfAReplacementFindsItAgain() {
		Semaphore connects = new Semaphore(1);
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = Clients.client(server.url());
			try (LazyConnection<StatefulRedisConnection<String, String>> lazy = new LazyConnection<>(() -> client,
					(from) -> {
						connects.acquireUninterruptibly();
						return client.connect();
					}, Duration.ofSeconds(1))) {
				get(lazy.get());
				CompletableFuture<Boolean> same = lazy.replaceSilent()
					.thenCompose((second) -> lazy.get().thenApply((found) -> found == second));
				connects.release();
				assertThat(get(same)).isTrue();
			}
			finally {
				connects.release();
				Clients.shutdown(client);
			}
		}
	}

}
