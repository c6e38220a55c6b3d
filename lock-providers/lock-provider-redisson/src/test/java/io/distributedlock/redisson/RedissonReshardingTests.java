package io.distributedlock.redisson;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Locks are kept while servers forget scripts, and while their slots move.
 */
class RedissonReshardingTests {

	private static final Duration LEASE = Duration.ofSeconds(12);

	@Test
	void locksAreKeptWhileScriptsAreFlushed() {
		ScheduledExecutorService flusher = Executors.newSingleThreadScheduledExecutor();
		try (RedisTestServer server = RedisTestServer.run()) {
			RedissonClient client = Clients.patient(server.url());
			try (DefaultLockTemplate template = template(client)) {
				flusher.scheduleWithFixedDelay(() -> server.command("SCRIPT", "FLUSH"), 0, 20, TimeUnit.MILLISECONDS);
				List<LockHandle> handles = acquireEveryLockType(template);
				awaitRenewed(handles);
				handles.forEach(LockHandle::close);
				// with a lease that does not end meanwhile
				acquireEveryLockType(template, Duration.ofMinutes(10)).forEach(LockHandle::close);
				Patience.await().until(() -> ((List<?>) server.command("KEYS", "kept-*")).isEmpty());
			}
			finally {
				client.shutdown();
			}
		}
		finally {
			flusher.shutdownNow();
		}
	}

	@Test
	void locksAreKeptWhileTheirSlotMoves() {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			Config config = Clients.config();
			config.useClusterServers()
				.addNodeAddress(cluster.servers().get(0).url())
				.setScanInterval(1000)
				.setMasterConnectionMinimumIdleSize(1)
				.setMasterConnectionPoolSize(4);
			RedissonClient client = Redisson.create(config);
			try (DefaultLockTemplate template = template(client)) {
				List<LockHandle> handles = acquireEveryLockType(template);
				List<SlotMove> moves = handles.stream().map((handle) -> new SlotMove(cluster, handle.key())).toList();
				moves.forEach(SlotMove::begin);
				awaitRenewed(handles);
				moves.forEach(SlotMove::moveKeys);
				awaitRenewed(handles);
				moves.forEach(SlotMove::end);
				awaitRenewed(handles);
				handles.forEach(LockHandle::close);
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static DefaultLockTemplate template(RedissonClient client) {
		return DefaultLockTemplate.builder().provider(new RedissonLockProvider(client)).renewalLeaseTime(LEASE).build();
	}

	private static List<LockHandle> acquireEveryLockType(DefaultLockTemplate template) {
		return requests().map(template::acquire).toList();
	}

	private static List<LockHandle> acquireEveryLockType(DefaultLockTemplate template, Duration leaseTime) {
		return requests().map((request) -> template.acquire(request.withLeaseTime(leaseTime))).toList();
	}

	private static Stream<LockRequest> requests() {
		return Arrays.stream(LockType.values()).map((type) -> {
			LockRequest request = LockRequest.of("kept-" + type).withWaitTime(Duration.ofSeconds(60));
			return (type == LockType.SEMAPHORE) ? request.withPermits(2) : request.withType(type);
		});
	}

	/**
	 * Wait until the engine has renewed each lock; none may have been lost before.
	 */
	private static void awaitRenewed(List<LockHandle> handles) {
		List<Duration> ends = handles.stream().map(RedissonReshardingTests::end).toList();
		Patience.await()
			.failFast(() -> handles.forEach(LockHandle::ensureHeld))
			.until(() -> IntStream.range(0, handles.size())
				.allMatch((i) -> end(handles.get(i)).minus(ends.get(i)).compareTo(Duration.ofSeconds(1)) > 0));
	}

	private static Duration end(LockHandle handle) {
		return Duration.ofNanos(System.nanoTime()).plus(handle.remaining());
	}

	/**
	 * Moves the slot of a key to another node, as redis-cli does.
	 */
	private static final class SlotMove {

		private final RedisTestCluster cluster;

		private final String slot;

		private final RedisTestServer source;

		private final RedisTestServer target;

		private SlotMove(RedisTestCluster cluster, String key) {
			this.cluster = cluster;
			this.slot = String.valueOf(cluster.servers().get(0).command("CLUSTER", "KEYSLOT", key));
			// each of the three has a third
			int owner = Integer.parseInt(this.slot) * 3 / 16384;
			this.source = cluster.servers().get(owner);
			this.target = cluster.servers().get((owner + 1) % 3);
		}

		void begin() {
			this.target.command("CLUSTER", "SETSLOT", this.slot, "IMPORTING", id(this.source));
			this.source.command("CLUSTER", "SETSLOT", this.slot, "MIGRATING", id(this.target));
		}

		void moveKeys() {
			for (Object key : (List<?>) this.source.command("CLUSTER", "GETKEYSINSLOT", this.slot, "100")) {
				this.source.command("MIGRATE", "127.0.0.1", Integer.toString(this.target.port()), key.toString(), "0",
						"5000");
			}
		}

		void end() {
			this.cluster.servers()
				.forEach((server) -> server.command("CLUSTER", "SETSLOT", this.slot, "NODE", id(this.target)));
		}

		private static String id(RedisTestServer server) {
			return String.valueOf(server.command("CLUSTER", "MYID"));
		}

	}

}
