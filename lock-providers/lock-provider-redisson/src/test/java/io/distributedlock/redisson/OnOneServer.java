package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.redisson.api.RedissonClient;

/**
 * Tests on one server, which is empty before each of them.
 */
abstract class OnOneServer {

	static RedisTestServer server;

	RedissonClient client;

	RedissonLockProvider provider;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void connect() {
		server.command("FLUSHALL");
		this.client = Clients.patient(server.url());
		this.provider = new RedissonLockProvider(this.client);
	}

	@AfterEach
	void disconnect() {
		this.provider.close();
		this.client.shutdown();
	}

	static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

	static long pttl(String key) {
		return (Long) server.command("PTTL", key);
	}

}
