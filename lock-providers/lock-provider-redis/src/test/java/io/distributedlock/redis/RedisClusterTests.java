package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.StaleTokenException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestCluster;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
				LockRequest request = LockRequest.of("key" + i).withWaitTime(Duration.ofSeconds(60));
				LockHandle handle = holder.acquire(request);
				CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
				Awaitility.await().during(Duration.ofMillis(100)).until(() -> !waiting.isDone());
				handle.close();
				try (LockHandle next = waiting.get(60, TimeUnit.SECONDS)) {
					assertThat(next.fencingToken().orElseThrow()).isGreaterThan(handle.fencingToken().orElseThrow());
				}
			}
			assertThat(IntStream.range(0, 3).filter((i) -> !cluster.servers().get(i).command("DBSIZE").equals(0L)))
				.as("nodes that keep a counter")
				.hasSize(3);
		}
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void kindsOfLocksKeepTheirKeysOnOneNode(LockType type) {
		try (RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(2));
				DefaultLockTemplate holder = DefaultLockTemplate.builder().provider(provider).build();
				DefaultLockTemplate waiter = DefaultLockTemplate.builder().provider(provider).build()) {
			for (int i = 0; i < 6; i++) {
				LockRequest request = kind(LockRequest.of(type + ":" + i), type).withWaitTime(Duration.ofSeconds(60));
				LockHandle handle = holder.acquire(request);
				assertThat(waiter.tryAcquire(kind(LockRequest.of(type + ":" + i), conflicting(type)))).isEmpty();
				CompletableFuture<LockHandle> waiting = waiter.acquireAsync(
						kind(LockRequest.of(type + ":" + i), conflicting(type)).withWaitTime(Duration.ofSeconds(60)));
				handle.extend(Duration.ofSeconds(40));
				handle.close();
				assertThat(waiting).succeedsWithin(Duration.ofSeconds(60)).satisfies(LockHandle::close);
			}
		}
	}

	private static LockRequest kind(LockRequest request, LockType type) {
		return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
	}

	private static LockType conflicting(LockType type) {
		return (type == LockType.READ) ? LockType.WRITE : type;
	}

	@Test
	void fencedValueIsOnTheNodeOfItsKey() {
		try (RedisFencedResource resource = new RedisFencedResource(client, Duration.ofSeconds(2))) {
			for (String key : List.of("plain", "price:1", "{price:1}:net", "a{b}c")) {
				resource.set(key, "new", 2);
				assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> resource.set(key, "late", 1));
			}
		}
	}

}
