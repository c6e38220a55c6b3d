package io.distributedlock.memcached;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.ExponentialBackoff;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import io.distributedlock.test.patience.Patience;

/**
 * Clients of a server on this machine, as the page on Memcached wants them.
 */
final class Clients {

	private Clients() {
	}

	static MemcacheClient<String> connect(int port) {
		return connect(builder(port));
	}

	static MemcacheClient<String> connect(String host, int port, Duration answerTimeout) {
		return connect(builder(host, port).withConnectionTimeoutMillis(answerTimeout.toMillis()));
	}

	private static MemcacheClient<String> connect(MemcacheClientBuilder<String> builder) {
		MemcacheClient<String> client = builder.connectAscii();
		get(ConnectFuture.connectFuture(client));
		return client;
	}

	static MemcacheClientBuilder<String> builder(int port) {
		return builder("127.0.0.1", port);
	}

	private static MemcacheClientBuilder<String> builder(String host, int port) {
		return MemcacheClientBuilder.newStringClient()
			.withAddress(host, port)
			.withConnections(1)
			.withBackoff(new ExponentialBackoff(20, 1000, 2));
	}

	static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
