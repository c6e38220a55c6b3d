package io.distributedlock.redis.internal.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LazyConnectionTests {

	@Test
	void connectingInheritsNoThreadLocals() {
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		user.set("of the first caller");
		CompletableFuture<Optional<String>> seen = new CompletableFuture<>();
		try (LazyConnection<StatefulRedisConnection<String, String>> lazy = new LazyConnection<>(() -> {
			seen.complete(Optional.ofNullable(user.get()));
			throw new IllegalStateException("there is no client");
		}, (from) -> ((RedisClient) from).connect(), Patience.LIMIT)) {
			lazy.get();
			assertThat(seen).succeedsWithin(Patience.LIMIT).isEqualTo(Optional.empty());
		}
	}

	@Test
	void callerOfAReplacementFindsItAndTheRetiredConnection() throws Exception {
		Semaphore connects = new Semaphore(1);
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = RedisClient.create(server.url());
			try (LazyConnection<StatefulRedisConnection<String, String>> lazy = new LazyConnection<>(() -> client,
					(from) -> {
						connects.acquireUninterruptibly();
						return client.connect();
					}, Patience.LIMIT)) {
				StatefulRedisConnection<String, String> first = lazy.get().get(Patience.SECONDS, TimeUnit.SECONDS);
				CompletableFuture<Boolean> both = lazy.replaceSilent()
					.thenApply((second) -> lazy.retired() == first && lazy.get().getNow(first) == second);
				connects.release();
				assertThat(both).succeedsWithin(Patience.LIMIT).isEqualTo(true);
			}
			finally {
				connects.release();
				client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
			}
		}
	}

	@Test
	void connectionThatOpensAfterTheEndIsClosed() throws Exception {
		Semaphore connects = new Semaphore(1);
		AtomicReference<StatefulRedisConnection<String, String>> opened = new AtomicReference<>();
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = RedisClient.create(server.url());
			LazyConnection<StatefulRedisConnection<String, String>> lazy = new LazyConnection<>(() -> client,
					(from) -> {
						connects.acquireUninterruptibly();
						opened.set(client.connect());
						return opened.get();
					}, Patience.LIMIT);
			try {
				StatefulRedisConnection<String, String> first = lazy.get().get(Patience.SECONDS, TimeUnit.SECONDS);
				lazy.replaceSilent();
				lazy.close();
				connects.release();
				Patience.await().until(() -> opened.get() != first && !opened.get().isOpen());
				assertThat(first.isOpen()).isFalse();
			}
			finally {
				connects.release();
				client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
			}
		}
	}

}
