package io.distributedlock.redisson;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.StaleTokenException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.server.RedisTestCluster;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A cluster of three primaries: keys, counters and channels of a lock share a slot, and
 * renewals that go out together span all of them.
 */
class RedissonClusterTests {

	private static RedisTestCluster cluster;

	private static RedissonClient client;

	@BeforeAll
	static void startCluster() {
		cluster = RedisTestCluster.run();
		client = connect();
	}

	private static RedissonClient connect() {
		Config config = new Config();
		config.setThreads(4);
		config.setNettyThreads(4);
		config.useClusterServers()
			.addNodeAddress(cluster.servers().get(0).url())
			.setMasterConnectionMinimumIdleSize(1)
			.setMasterConnectionPoolSize(4)
			.setSlaveConnectionMinimumIdleSize(1)
			.setSlaveConnectionPoolSize(4);
		return Redisson.create(config);
	}

	@AfterAll
	static void stopCluster() {
		if (client != null) {
			client.shutdown();
		}
		if (cluster != null) {
			cluster.close();
		}
	}

	@Test
	void leasesOnAllNodesAreRenewedTogether() {
		RedissonLockProvider provider = new RedissonLockProvider(client);
		List<Lease> leases = IntStream.range(0, 30)
			.mapToObj((i) -> get(
					provider.tryAcquire(new LeaseRequest("batch:" + i, Duration.ofSeconds(5), LockType.EXCLUSIVE))))
			.toList();
		assertThat(leases).doesNotContainNull();
		Set<Integer> used = IntStream.range(0, 3)
			.filter((i) -> !cluster.servers().get(i).command("DBSIZE").equals(0L))
			.boxed()
			.collect(Collectors.toSet());
		assertThat(used).as("nodes that hold a lock").hasSize(3);
		List<? extends CompletionStage<LeaseTerm>> answers = provider
			.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, Duration.ofSeconds(60))).toList());
		answers.forEach((answer) -> assertThat(get(answer)).isNotNull());
		assertThat(IntStream.range(0, 30)
			.mapToLong((i) -> client.getLock("batch:" + i).remainTimeToLive())
			.min()
			.orElseThrow()).isGreaterThan(30_000);
		leases.forEach((lease) -> assertThat(get(lease.release())).isTrue());
	}

	@Test
	void waiterIsWokenAcrossClients() throws Exception {
		Duration neverPoll = Duration.ofMinutes(10);
		RedissonLockProvider provider = new RedissonLockProvider(client);
		try (DefaultLockTemplate holder = template(provider, neverPoll);
				DefaultLockTemplate waiter = template(provider, neverPoll)) {
			for (int i = 0; i < 5; i++) {
				LockRequest request = LockRequest.of("woken" + i).withWaitTime(Duration.ofSeconds(60));
				LockHandle handle = holder.acquire(request);
				CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
				Awaitility.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
				handle.close();
				waiting.get(60, TimeUnit.SECONDS).close();
			}
		}
	}

	@Test
	void channelsAreGivenBack() throws Exception {
		RedissonLockProvider provider = new RedissonLockProvider(client);
		AtomicInteger heard = new AtomicInteger();
		List<ReleaseSignal.Subscription> subscriptions = IntStream.range(0, 20)
			.mapToObj((i) -> provider.listen("given-back" + i, heard::incrementAndGet))
			.toList();
		Awaitility.await().until(() -> heard.get() == 20);
		assertThat(channels("*given-back*")).isEqualTo(20);
		subscriptions.forEach(ReleaseSignal.Subscription::close);
		Awaitility.await().until(() -> channels("*given-back*") == 0);
	}

	@Test
	void readersAndWritersByHandAreWokenByOurRelease() throws Exception {
		RedissonClient other = connect();
		try (DefaultLockTemplate template = template(new RedissonLockProvider(client), Duration.ofMillis(200))) {
			LockRequest request = LockRequest.of("by-hand").withLeaseTime(Duration.ofMinutes(2));
			LockHandle writer = template.acquire(request.withType(LockType.WRITE));
			RReadWriteLock byHand = other.getReadWriteLock(writer.key());
			List<CompletableFuture<Boolean>> readers = List.of(inThread(byHand.readLock()),
					inThread(byHand.readLock()));
			awaitSubscribers("redisson_rwlock:{" + writer.key() + "}");
			writer.close();
			readers.forEach((reader) -> assertThat(reader).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(true));
			byHand.readLock().forceUnlock();
			LockHandle reader = template.acquire(request.withType(LockType.READ));
			CompletableFuture<Boolean> waitingWriter = inThread(byHand.writeLock());
			awaitSubscribers("redisson_rwlock:{" + writer.key() + "}");
			reader.close();
			assertThat(waitingWriter).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(true);
		}
		finally {
			other.shutdown();
		}
	}

	private static CompletableFuture<Boolean> inThread(RLock lock) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return lock.tryLock(100, 100, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, (task) -> new Thread(task).start());
	}

	private static void awaitSubscribers(String channel) {
		Awaitility.await().until(() -> channels(channel) == 1);
		// who has subscribed asks once more before he sleeps
		Awaitility.await().during(Duration.ofMillis(300)).until(() -> channels(channel) == 1);
	}

	/**
	 * Return how many channels somebody listens to, plain or sharded.
	 */
	private static int channels(String pattern) {
		return cluster.servers().stream().mapToInt((server) -> {
			int count = ((List<?>) server.command("PUBSUB", "CHANNELS", pattern)).size();
			try {
				return count + ((List<?>) server.command("PUBSUB", "SHARDCHANNELS", pattern)).size();
			}
			catch (UncheckedIOException ex) {
				// before Redis 7 there are no sharded ones
				return count;
			}
		}).sum();
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void kindsOfLocksKeepTheirKeysOnOneNode(LockType type) {
		RedissonLockProvider provider = new RedissonLockProvider(client);
		try (DefaultLockTemplate holder = template(provider, Duration.ofMillis(200));
				DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200))) {
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
		RedissonFencedResource resource = new RedissonFencedResource(client);
		for (String key : List.of("plain", "price:1", "{price:1}:net", "a{b}c")) {
			resource.set(key, "new", 2);
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> resource.set(key, "late", 1));
		}
	}

	private static DefaultLockTemplate template(RedissonLockProvider provider, Duration pollInterval) {
		return DefaultLockTemplate.builder().provider(provider).pollInterval(pollInterval).build();
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
