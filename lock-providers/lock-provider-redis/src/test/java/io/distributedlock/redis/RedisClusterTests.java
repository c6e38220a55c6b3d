package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestCluster;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster of three primaries: key and counter of a lock share a slot, and a release is
 * heard whichever node it was published on.
 */
class RedisClusterTests {

	private static RedisTestCluster cluster;

	private static RedisClusterClient client;

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.run();
		client = RedisClusterClient.create(Clients.resources(), RedisURI.create(cluster.servers().get(0).url()));
	}

	@AfterAll
	static void stop() {
		Clients.shutdown(client);
		cluster.close();
	}

	@Test
	void locksOnAllNodesWorkAndWakeTheirWaiters() throws Exception {
		Duration neverPoll = Duration.ofMinutes(10);
		try (RedisLockProvider first = new RedisLockProvider(client, Duration.ofSeconds(2));
				RedisLockProvider second = new RedisLockProvider(client, Duration.ofSeconds(2));
				DefaultLockTemplate holder = DefaultLockTemplate.builder().provider(first).build();
				DefaultLockTemplate waiter = DefaultLockTemplate.builder()
					.provider(second)
					.pollInterval(neverPoll)
					.build()) {
			for (int i = 0; i < 12; i++) {
				LockRequest request = LockRequest.of("key" + i).withWaitTime(Duration.ofSeconds(30));
				LockHandle handle = holder.acquire(request);
				CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
				Awaitility.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
				handle.close();
				try (LockHandle next = waiting.get(10, TimeUnit.SECONDS)) {
					assertThat(next.fencingToken().orElseThrow()).isGreaterThan(handle.fencingToken().orElseThrow());
				}
			}
			assertThat(IntStream.range(0, 3).filter((i) -> !cluster.servers().get(i).command("DBSIZE").equals(0L)))
				.as("nodes that keep a counter")
				.hasSize(3);
		}
	}

}
