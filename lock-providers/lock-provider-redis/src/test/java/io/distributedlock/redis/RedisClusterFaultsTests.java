package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.CallsUnderFault;
import io.distributedlock.test.LocksUnderFault;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster whose slots move, whose primaries are replaced, whose scripts are forgotten
 * and whose memory is full, while locks of every type are held and waited for.
 */
class RedisClusterFaultsTests {

	private RedisTestCluster cluster;

	private RedisClusterClient client;

	private RedisLockProvider provider;

	private LocksUnderFault locks;

	@BeforeEach
	void start() {
		this.cluster = RedisTestCluster.runWithReplicas();
		this.client = RedisClusterClient.create(Clients.resources(),
				RedisURI.create(this.cluster.servers().get(0).url()));
		this.provider = new RedisLockProvider(this.client, Duration.ofSeconds(2));
		this.locks = new LocksUnderFault(this.provider);
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.provider.close();
		Clients.shutdown(this.client);
		this.cluster.close();
	}

	@Test
	void locksAreKeptAndHandedOnWhileTheirSlotsMove() {
		this.locks.areKeptAndHandedOn(this.cluster::moveSlotOf);
		awaitNothingLeft();
	}

	@Test
	void locksAreKeptAndHandedOnWhileReplicasTakeOver() {
		this.locks.areKeptAndHandedOn((key) -> {
			if (key.endsWith("EXCLUSIVE")) {
				// one by one, as each is voted on by the others
				this.cluster.servers().forEach(this.cluster::failOver);
			}
		});
		awaitNothingLeft();
	}

	@Test
	@EnabledIf("io.distributedlock.test.CallsUnderFault#haveTime")
	void lockHasOneOwnerWhileReplicasTakeOverUnderLoad() throws Exception {
		try (RedisLockProvider other = new RedisLockProvider(this.client, Duration.ofSeconds(2));
				CallsUnderFault calls = new CallsUnderFault(List.of(this.provider, other), Duration.ofSeconds(5))) {
			calls.haveOneOwnerAtATime(Duration.ofSeconds(1), Map.of("replicas promoted", () -> {
				this.cluster.servers().forEach(this.cluster::failOver);
				return () -> {
				};
			}));
		}
	}

	@Test
	void locksAreKeptAndHandedOnWhileScriptsAreForgotten() {
		this.locks
			.areKeptAndHandedOn((key) -> this.cluster.servers().forEach((server) -> server.command("SCRIPT", "FLUSH")));
		awaitNothingLeft();
	}

	@Test
	void tokensRiseAfterAPrimaryWasKilled() {
		this.locks.goOnWithRisingTokens(this.cluster::killPrimaryOf);
	}

	@Test
	void primaryThatWasKilledBeforeItsFirstUseIsReplaced() {
		this.client.getPartitions();
		this.cluster.killPrimaryOf("k");
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(this.provider).build()) {
			template.acquire(LockRequest.of("k").withWaitTime(Duration.ofMinutes(3))).close();
		}
	}

	/**
	 * A client asks a node that has left as long as that runs, and is told each time that
	 * no slot is served.
	 */
	@Test
	void nodeThatHasLeftIsNotAskedAgain() {
		RedisTestServer left = this.cluster.primaryOf("k");
		LockRequest request = LockRequest.of("k").withWaitTime(Duration.ofMinutes(3));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(this.provider).build()) {
			template.acquire(request).close();
			this.cluster.failOver(left);
			this.cluster.remove(left);
			template.acquire(request).close();
		}
	}

	@Test
	void messagesArriveAgainAfterTheirNodeHasLeft() {
		try (RedisLockProvider other = new RedisLockProvider(this.client, Duration.ofSeconds(2))) {
			handOver(other);
			List<RedisTestServer> primaries = this.cluster.servers();
			RedisTestServer left = Stream.concat(primaries.stream(), primaries.stream().map(this.cluster::replicaOf))
				.filter(this::hasListeners)
				.findFirst()
				.orElseThrow();
			if (primaries.contains(left)) {
				this.cluster.failOver(left);
			}
			this.client.refreshPartitions();
			this.cluster.remove(left);
			Patience.await().until(() -> {
				handOver(other);
				return !hasListeners(left);
			});
		}
	}

	private void handOver(RedisLockProvider holder) {
		LeaseRequest request = new LeaseRequest("k", Duration.ofMinutes(1), LockType.EXCLUSIVE);
		Lease lease = Clients.get(holder.tryAcquire(request));
		LockQueue.Place place = this.provider.enqueue(request);
		Patience.await().until(place::isBehindOthers);
		Clients.get(lease.release());
		Patience.await().until(() -> {
			place.lookAgain();
			return place.granted().toCompletableFuture().isDone();
		});
		Clients.get(Clients.get(place.granted()).release());
	}

	private boolean hasListeners(RedisTestServer server) {
		return server.command("PUBSUB", "CHANNELS") instanceof List<?> channels && !channels.isEmpty();
	}

	@Test
	void fullMemoryRefusesLocksAndStillKeepsAndReleasesThem() {
		this.locks.areKeptAndReleasedWhileNoneIsGranted(
				() -> this.cluster.servers().forEach((server) -> server.command("CONFIG", "SET", "maxmemory", "1")),
				"out of memory");
		awaitNothingLeft();
	}

	private void awaitNothingLeft() {
		Patience.await()
			.untilAsserted(() -> assertThat(this.cluster.servers()
				.stream()
				.map((server) -> (List<?>) server.command("KEYS", "*"))
				.flatMap(List::stream)
				.map(String::valueOf)).allMatch(Clients::isCounter));
	}

}
