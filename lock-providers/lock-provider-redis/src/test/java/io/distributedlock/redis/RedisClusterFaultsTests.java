package io.distributedlock.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A cluster whose slots move, whose primaries are replaced, whose scripts are forgotten
 * and whose memory is full, while locks of every kind are held and waited for.
 */
class RedisClusterFaultsTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private RedisTestCluster cluster;

	private RedisClusterClient client;

	private RedisLockProvider provider;

	private DefaultLockTemplate holder;

	private DefaultLockTemplate other;

	@BeforeEach
	void start() {
		this.cluster = RedisTestCluster.runWithReplicas();
		this.client = RedisClusterClient.create(Clients.resources(),
				RedisURI.create(this.cluster.servers().get(0).url()));
		this.provider = new RedisLockProvider(this.client, Duration.ofSeconds(2));
		this.holder = DefaultLockTemplate.builder().provider(this.provider).renewalLeaseTime(LEASE).build();
		this.other = DefaultLockTemplate.builder().provider(this.provider).build();
	}

	@AfterEach
	void stop() {
		this.holder.close();
		this.other.close();
		this.provider.close();
		Clients.shutdown(this.client);
		this.cluster.close();
	}

	@Test
	void locksAreKeptAndHandedOnWhileTheirSlotsMove() {
		assertKept((key) -> this.cluster.moveSlotOf(":" + key));
	}

	@Test
	void locksAreKeptAndHandedOnWhileReplicasTakeOver() {
		assertKept((key) -> {
			if (key.equals(LockType.EXCLUSIVE.name())) {
				this.cluster.servers()
					.forEach((primary) -> this.cluster.replicaOf(primary).command("CLUSTER", "FAILOVER"));
			}
		});
	}

	@Test
	void locksAreKeptAndHandedOnWhileScriptsAreForgotten() {
		assertKept((key) -> this.cluster.servers().forEach((server) -> server.command("SCRIPT", "FLUSH")));
	}

	@Test
	void locksGoOnWithRisingTokensAfterAPrimaryWasKilled() {
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofSeconds(40));
		LockHandle before = this.holder.acquire(request.withLeaseTime(LEASE));
		RedisTestServer primary = this.cluster.primaryOf(":k");
		primary.kill();
		try (LockHandle after = this.other.acquire(request)) {
			assertThat(after.fencingToken().orElseThrow()).isGreaterThan(before.fencingToken().orElseThrow());
		}
		before.close();
	}

	@Test
	void fullMemoryRefusesLocksAndStillKeepsAndReleasesThem() {
		List<LockHandle> held = kinds().map(this.holder::acquire).toList();
		this.cluster.servers().forEach((server) -> server.command("CONFIG", "SET", "maxmemory", "1"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.other.tryAcquire("another"))
			.withMessageContaining("out of memory");
		Awaitility.await()
			.during(LEASE.plusSeconds(1))
			.atMost(LEASE.multipliedBy(3))
			.until(() -> held.stream().allMatch(LockHandle::isValid));
		held.forEach(LockHandle::close);
		assertThat(keys()).allMatch((key) -> key.endsWith(":token"));
	}

	private void assertKept(Consumer<String> fault) {
		List<LockHandle> held = kinds().map(this.holder::acquire).toList();
		List<CompletableFuture<LockHandle>> waiting = kinds()
			.map((request) -> (request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request)
			.map(this.other::acquireAsync)
			.toList();
		kinds().forEach((request) -> fault.accept(request.key()));
		Awaitility.await()
			.during(LEASE.plusSeconds(1))
			.atMost(LEASE.multipliedBy(3))
			.until(() -> held.stream().allMatch(LockHandle::isValid));
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		held.forEach(LockHandle::close);
		waiting.forEach((call) -> assertThat(call).succeedsWithin(Duration.ofSeconds(30)).satisfies(LockHandle::close));
		assertThat(keys()).allMatch((key) -> key.endsWith(":token"));
	}

	private List<String> keys() {
		return this.cluster.servers()
			.stream()
			.map((server) -> (List<?>) server.command("KEYS", "*"))
			.flatMap(List::stream)
			.map(String::valueOf)
			.toList();
	}

	private static Stream<LockRequest> kinds() {
		return Arrays.stream(LockType.values()).map((type) -> {
			LockRequest request = LockRequest.of(type.name()).withWaitTime(Duration.ofSeconds(60));
			return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
		});
	}

}
