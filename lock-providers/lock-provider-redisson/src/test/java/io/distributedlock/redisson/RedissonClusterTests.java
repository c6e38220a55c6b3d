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
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.contract.RedisClusterContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Also: renewals of locks on all nodes in one call, channels, and waiters by hand.
 */
class RedissonClusterTests extends RedisClusterContract {

	private static RedissonClient client;

	@BeforeAll
	static void startClient() {
		client = connect();
	}

	private static RedissonClient connect() {
		Config config = Clients.config();
		config.useClusterServers()
			.addNodeAddress(cluster().servers().get(0).url())
			.setTimeout((int) Patience.LIMIT.toMillis())
			.setMasterConnectionMinimumIdleSize(1)
			.setMasterConnectionPoolSize(4)
			.setSlaveConnectionMinimumIdleSize(1)
			.setSlaveConnectionPoolSize(4);
		return Redisson.create(config);
	}

	@AfterAll
	static void stopClient() {
		client.shutdown();
	}

	@Override
	protected LockProvider provider() {
		return new RedissonLockProvider(client);
	}

	@Override
	protected void writeFenced(String key, String value, long token) {
		new RedissonFencedResource(client).set(key, value, token);
	}

	@Test
	void leasesOnAllNodesAreRenewedTogether() {
		RedissonLockProvider provider = new RedissonLockProvider(client);
		List<Lease> leases = IntStream.range(0, 30)
			.mapToObj((i) -> get(
					provider.tryAcquire(new LeaseRequest("batch:" + i, Duration.ofMinutes(1), LockType.EXCLUSIVE))))
			.toList();
		assertThat(leases).doesNotContainNull();
		Set<Integer> used = IntStream.range(0, 3)
			.filter((i) -> !cluster().servers().get(i).command("DBSIZE").equals(0L))
			.boxed()
			.collect(Collectors.toSet());
		assertThat(used).as("nodes that hold a lock").hasSize(3);
		List<? extends CompletionStage<LeaseTerm>> answers = provider
			.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, Duration.ofMinutes(10))).toList());
		answers.forEach((answer) -> assertThat(get(answer)).isNotNull());
		assertThat(IntStream.range(0, 30)
			.mapToLong((i) -> client.getLock("batch:" + i).remainTimeToLive())
			.min()
			.orElseThrow()).isGreaterThan(120_000);
		leases.forEach((lease) -> assertThat(get(lease.release())).isTrue());
	}

	@Test
	void channelsWithoutListenersAreUnsubscribed() throws Exception {
		RedissonLockProvider provider = new RedissonLockProvider(client);
		AtomicInteger heard = new AtomicInteger();
		List<ReleaseSignal.Subscription> subscriptions = IntStream.range(0, 20)
			.mapToObj((i) -> provider.listen("listened" + i, heard::incrementAndGet))
			.toList();
		Patience.await().until(() -> heard.get() == 20);
		assertThat(channels("*listened*")).isEqualTo(20);
		subscriptions.forEach(ReleaseSignal.Subscription::close);
		Patience.await().until(() -> channels("*listened*") == 0);
	}

	@Test
	void exactKeyIsTheNameOfALockByHandOnEachNode() {
		RedissonClient other = connect();
		try (RedissonLockProvider provider = new RedissonLockProvider(client);
				DefaultLockTemplate template = template(provider)) {
			for (int i = 0; i < 4; i++) {
				RedissonByHandTests.assertExcludes(template, other, "{tenant" + i + "}:42");
				RedissonByHandTests.assertExcludes(template, other, "订单 " + i);
			}
		}
		finally {
			other.shutdown();
		}
	}

	@Test
	void readersAndWritersByHandAreWokenByOurRelease() throws Exception {
		RedissonClient other = connect();
		try (DefaultLockTemplate template = template(new RedissonLockProvider(client))) {
			LockRequest request = LockRequest.of("by-hand").withLeaseTime(Duration.ofMinutes(2));
			LockHandle writer = template.acquire(request.withType(LockType.WRITE));
			RReadWriteLock byHand = other.getReadWriteLock(writer.key());
			List<CompletableFuture<Boolean>> readers = List.of(inThread(byHand.readLock()),
					inThread(byHand.readLock()));
			awaitSubscribers("redisson_rwlock:{" + writer.key() + "}");
			writer.close();
			readers.forEach((reader) -> assertThat(reader).succeedsWithin(Patience.LIMIT).isEqualTo(true));
			byHand.readLock().forceUnlock();
			LockHandle reader = template.acquire(request.withType(LockType.READ));
			CompletableFuture<Boolean> waitingWriter = inThread(byHand.writeLock());
			awaitSubscribers("redisson_rwlock:{" + writer.key() + "}");
			reader.close();
			assertThat(waitingWriter).succeedsWithin(Patience.LIMIT).isEqualTo(true);
		}
		finally {
			other.shutdown();
		}
	}

	@Test
	void releaseByHandWakesOurWaiter() {
		RedissonClient other = connect();
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(new RedissonLockProvider(client))
			.pollInterval(Duration.ofMinutes(10))
			.build()) {
			for (int i = 0; i < 6; i++) {
				LockRequest request = LockRequest.of("hand-" + i).withWaitTime(Duration.ofSeconds(60));
				LockHandle probe = template.acquire(request);
				RLock byHand = other.getLock(probe.key());
				probe.close();
				assertThat(byHand.tryLock()).isTrue();
				CompletableFuture<LockHandle> waiting = template.acquireAsync(request);
				awaitSubscribers("redisson_lock__channel:{" + byHand.getName() + "}");
				byHand.unlock();
				assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			}
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
		Patience.await().until(() -> channels(channel) == 1);
		// a caller by hand that has subscribed asks once more before it waits
		Patience.await().during(Duration.ofMillis(300)).until(() -> channels(channel) == 1);
	}

	/**
	 * Return how many channels have listeners, plain or sharded.
	 */
	private static int channels(String pattern) {
		return cluster().servers().stream().mapToInt((server) -> {
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

	private static DefaultLockTemplate template(RedissonLockProvider provider) {
		return DefaultLockTemplate.builder().provider(provider).pollInterval(Duration.ofMillis(200)).build();
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
