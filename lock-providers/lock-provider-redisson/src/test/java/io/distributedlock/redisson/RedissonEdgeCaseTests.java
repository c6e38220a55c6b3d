package io.distributedlock.redisson;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Edge cases that are known from Redisson's locks in production, each against a real
 * server.
 */
class RedissonEdgeCaseTests extends OnOneServer {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void lockByHandAndOursExcludeEachOther() {
		RedissonClient other = Clients.patient(server.url());
		try {
			Lease lease = acquire("shared", LONG);
			assertThat(this.client.getLock("shared").tryLock()).as("same client, same thread").isFalse();
			assertThat(other.getLock("shared").tryLock()).as("another client").isFalse();
			get(lease.release());
			RLock byHand = other.getLock("shared");
			assertThat(byHand.tryLock()).isTrue();
			assertThat(attempt("shared", LONG)).isNull();
			byHand.unlock();
			get(acquire("shared", LONG).release());
		}
		finally {
			other.shutdown();
		}
	}

	@Test
	void readWriteLocksAndSemaphoresByHandTakePart() throws Exception {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ZERO)
			.build()) {
			LockRequest read = LockRequest.of("rw").withType(LockType.READ);
			LockRequest write = LockRequest.of("rw").withType(LockType.WRITE);
			RReadWriteLock byHand = this.client.getReadWriteLock("rw");
			assertThat(byHand.readLock().tryLock()).isTrue();
			assertThat(template.tryAcquire(write)).isEmpty();
			try (LockHandle reader = template.acquire(read)) {
				byHand.readLock().unlock();
				reader.ensureHeld();
				assertThat(byHand.writeLock().tryLock()).isFalse();
				assertThat(byHand.readLock().tryLock()).isTrue();
			}
			assertThat(template.tryAcquire(write)).isEmpty();
			byHand.readLock().unlock();
			try (LockHandle writer = template.acquire(write)) {
				writer.ensureHeld();
				assertThat(CompletableFuture.supplyAsync(() -> byHand.readLock().tryLock()).get()).isFalse();
				assertThat(CompletableFuture.supplyAsync(() -> byHand.writeLock().tryLock()).get()).isFalse();
			}
			try (LockHandle exclusive = template.acquire("rw")) {
				assertThat(CompletableFuture.supplyAsync(() -> template.tryAcquire(write)).get())
					.as("which Redisson's own lock would grant")
					.isEmpty();
				exclusive.ensureHeld();
			}
			RPermitExpirableSemaphore semaphore = this.client.getPermitExpirableSemaphore("{reports}:permits");
			LockRequest permit = LockRequest.of("reports").withPermits(2);
			LockHandle first = template.acquire(permit);
			String second = semaphore.tryAcquire();
			assertThat(template.tryAcquire(permit)).isEmpty();
			LockHandle third = template.acquire(permit.withPermits(3));
			semaphore.release(second);
			third.close();
			first.close();
		}
	}

	@Test
	void clientThatConnectsLazilyDoesNotBlockTheCaller() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Config config = new Config();
			config.setLazyInitialization(true);
			config.useSingleServer()
				.setAddress("redis://127.0.0.1:" + silent.getLocalPort())
				.setConnectTimeout(2000)
				.setTimeout(2000)
				.setRetryAttempts(0);
			RedissonClient lazy = Redisson.create(config);
			try (RedissonLockProvider first = new RedissonLockProvider(lazy)) {
				LeaseRequest request = new LeaseRequest("k", Duration.ofSeconds(5), LockType.EXCLUSIVE);
				CompletableFuture<CompletionStage<Lease>> call = CompletableFuture
					.supplyAsync(() -> first.tryAcquire(request));
				CompletionStage<Lease> answer = call.get(Patience.SECONDS, TimeUnit.SECONDS);
				assertThat(answer.toCompletableFuture()).failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withCauseInstanceOf(BackendException.class);
			}
			finally {
				lazy.shutdown();
			}
		}
	}

	@Test
	void waitersOfBothSidesWakeEachOther() throws Exception {
		Duration neverPoll = Duration.ofMinutes(10);
		try (DefaultLockTemplate template = template(neverPoll)) {
			LockHandle handle = template.acquire(LockRequest.of("both"));
			RLock byHand = this.client.getLock(handle.key());
			CompletableFuture<Boolean> waitingByHand = CompletableFuture.supplyAsync(() -> {
				byHand.lock(30, TimeUnit.SECONDS);
				return true;
			}, (task) -> new Thread(task).start());
			Patience.await().during(Duration.ofMillis(200)).until(() -> !waitingByHand.isDone());
			handle.close();
			assertThat(waitingByHand.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<LockHandle> waiting = template
				.acquireAsync(LockRequest.of("both").withWaitTime(Duration.ofSeconds(60)));
			Patience.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
			byHand.forceUnlock();
			waiting.get(Patience.SECONDS, TimeUnit.SECONDS).close();
		}
	}

	@Test
	void cycleCostsNoMoreCommandsThanByHandAndReentryNone() {
		RFencedLock byHand = this.client.getFencedLock("by-hand");
		byHand.lockAndGetToken(30, TimeUnit.SECONDS);
		byHand.unlock();
		try (DefaultLockTemplate template = template(Duration.ofMillis(500))) {
			template.execute("warm-up", () -> {
			});
			Map<String, Long> ofHand = callsOf(() -> {
				byHand.lockAndGetToken(30, TimeUnit.SECONDS);
				byHand.unlock();
			});
			Map<String, Long> ofTemplate = callsOf(() -> template.execute("measured", () -> {
			}));
			assertThat(sent(ofTemplate)).as("%s against %s", ofTemplate, ofHand).isEqualTo(2);
			assertThat(sent(ofTemplate)).isLessThanOrEqualTo(sent(ofHand));
			template.execute("outer", () -> {
				Map<String, Long> ofReentry = callsOf(() -> template.execute("outer", () -> {
				}));
				assertThat(ofReentry).isEmpty();
			});
		}
	}

	@Test
	@SuppressWarnings("LockNotBeforeTry")
	void watchdogIsNeverStarted() {
		Config config = Clients.patientConfig(server.url());
		config.setLockWatchdogTimeout(6000);
		RedissonClient watchful = Redisson.create(config);
		try {
			RLock byHand = watchful.getLock("watched");
			byHand.lock();
			Lease lease = get(new RedissonLockProvider(watchful)
				.tryAcquire(new LeaseRequest("unwatched", Duration.ofMillis(1500), LockType.EXCLUSIVE)));
			Patience.await().until(() -> pttl("unwatched") < 0);
			AtomicLong shortest = new AtomicLong(Long.MAX_VALUE);
			Patience.await("a lock by hand, which its watchdog renews").until(() -> {
				long left = pttl("watched");
				return left > shortest.getAndAccumulate(left, Math::min);
			});
			assertThat(get(lease.release())).isFalse();
			byHand.unlock();
		}
		finally {
			watchful.shutdown();
		}
	}

	@Test
	void leaseTimeWithoutEndLeavesAKeyThatExpires() {
		try (DefaultLockTemplate template = template(Duration.ofMillis(500))) {
			LockRequest request = LockRequest.of("huge").withLeaseTime(Duration.ofMillis(Long.MAX_VALUE));
			try (LockHandle handle = template.acquire(request)) {
				assertThat(pttl(handle.key())).as("a key that expires").isPositive();
			}
		}
	}

	@Test
	void lostReplyIsAFailureAndLeavesNothing() {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			RedissonClient behindProxy = Clients.connect("redis://127.0.0.1:" + proxy.port(),
					(config) -> config.setTimeout(1000).setPingConnectionInterval(0));
			try {
				RedissonLockProvider lossy = new RedissonLockProvider(behindProxy);
				LeaseRequest request = new LeaseRequest("lossy", LONG, LockType.EXCLUSIVE);
				Lease before = get(this.provider.tryAcquire(request));
				long token = before.fencingToken().orElseThrow();
				get(before.release());
				proxy.dropReplies();
				assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> get(lossy.tryAcquire(request)))
					.withCauseInstanceOf(BackendException.class)
					.satisfies((ex) -> assertThat(((BackendException) ex.getCause()).isRetryable()).isTrue());
				Patience.await("Redis did grant it").until(() -> lastToken("lossy") > token);
				proxy.heal();
				Patience.await().until(() -> pttl("lossy") < 0);
			}
			finally {
				behindProxy.shutdown();
			}
		}
	}

	@Test
	void outageIsNotContention() {
		RedisTestServer shortLived = RedisTestServer.run();
		RedissonClient doomed = Clients.connect(shortLived.url());
		try (shortLived;
				DefaultLockTemplate template = DefaultLockTemplate.builder()
					.provider(new RedissonLockProvider(doomed))
					.commandTimeout(Duration.ofSeconds(1))
					.build()) {
			template.acquire(LockRequest.of("before").withWaitTime(Patience.LIMIT)).close();
			shortLived.kill();
			AtomicInteger runs = new AtomicInteger();
			long start = System.nanoTime();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> template.tryExecute("down", runs::incrementAndGet))
				.withMessageContaining("redisson")
				.withMessageContaining("down");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
			assertThat(runs).hasValue(0);
			shortLived.start();
			template.execute(LockRequest.of("up").withWaitTime(Duration.ofSeconds(60)), () -> {
				runs.incrementAndGet();
			});
			assertThat(runs).hasValue(1);
		}
		finally {
			doomed.shutdown();
		}
	}

	@Test
	void keyOfAnotherTypeIsAPermanentFailure() {
		server.command("SET", "occupied", "by a string");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> attempt("occupied", LONG))
			.withCauseInstanceOf(BackendException.class)
			.satisfies((ex) -> assertThat(((BackendException) ex.getCause()).isRetryable()).isFalse())
			.withMessageContaining("key-prefix");
	}

	@Test
	void memoryThatIsFullFailsTheAttemptAndNotTheRelease() {
		Lease lease = acquire("held", LONG);
		server.command("CONFIG", "SET", "maxmemory", "1");
		try {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> attempt("more", LONG))
				.withCauseInstanceOf(BackendException.class)
				.withMessageContaining("out of memory");
			assertThat(pttl("held")).isPositive();
		}
		finally {
			server.command("CONFIG", "SET", "maxmemory", "0");
		}
		assertThat(get(lease.release())).isTrue();
	}

	@Test
	void mappedNamesAreRenewedToo() {
		Config config = Clients.patientConfig(server.url());
		config.setNameMapper(new NameMapper() {
			@Override
			public String map(String name) {
				return "mapped:" + name;
			}

			@Override
			public String unmap(String name) {
				return name.substring("mapped:".length());
			}
		});
		RedissonClient mapped = Redisson.create(config);
		try {
			RedissonLockProvider named = new RedissonLockProvider(mapped);
			Lease lease = get(named.tryAcquire(new LeaseRequest("k", Duration.ofSeconds(15), LockType.EXCLUSIVE)));
			assertThat(pttl("mapped:k")).isBetween(1L, 15_000L);
			LeaseTerm term = get(named.renewAll(List.of(new LeaseRenewal(lease, LONG))).get(0));
			assertThat(term).isNotNull();
			assertThat(pttl("mapped:k")).isGreaterThan(20_000L);
			LockQueue.Place place = named
				.enqueue(new LeaseRequest("k", LONG, LockType.EXCLUSIVE, 1, System.nanoTime() + LONG.toNanos(), 1,
						Duration.ofMillis(100), Duration.ofMillis(7), Duration.ZERO));
			Patience.await()
				.untilAsserted(() -> assertThat(String.valueOf(server.command("LINDEX", "{mapped:k}:line", "0")))
					.as("the grant is as long as without a mapper")
					.endsWith(" 1507"));
			place.leave();
			assertThat(get(lease.release())).isTrue();
		}
		finally {
			mapped.shutdown();
		}
	}

	@Test
	void renewalOfALockThatWasOverwrittenFailsAlone() {
		List<Lease> leases = List.of(acquire("k1", LONG), acquire("k2", LONG), acquire("k3", LONG));
		server.command("SET", "k2", "no lock");
		List<? extends CompletionStage<@Nullable LeaseTerm>> answers = this.provider
			.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, LONG)).toList());
		assertThat(get(answers.get(0))).isNotNull();
		assertThat(get(answers.get(2))).isNotNull();
		assertThat(answers.get(1)).failsWithin(Patience.LIMIT);
	}

	@Test
	void channelsAreLimitedAndUnsubscribed() {
		RedissonRunner runner = new RedissonRunner(new RedissonServer(this.client));
		List<ReleaseSignal.Subscription> subscriptions = IntStream.range(0, RedissonRunner.MAX_CHANNELS + 10)
			.mapToObj((i) -> runner.listenTo("crowd" + i, () -> {
			}))
			.toList();
		assertThat(runner.freeChannels()).isZero();
		subscriptions.forEach(ReleaseSignal.Subscription::close);
		subscriptions.forEach(ReleaseSignal.Subscription::close);
		assertThat(runner.freeChannels()).isEqualTo(RedissonRunner.MAX_CHANNELS);
		Patience.await().until(() -> ((List<?>) server.command("PUBSUB", "CHANNELS", "*crowd*")).isEmpty());
	}

	@Test
	void tokenContinuesWhereCodeByHandLeftIt() {
		RFencedLock byHand = this.client.getFencedLock("tokens");
		long first = byHand.lockAndGetToken(30, TimeUnit.SECONDS);
		byHand.unlock();
		Lease lease = acquire("tokens", LONG);
		assertThat(lease.fencingToken()).isEqualTo(OptionalLong.of(first + 1));
		get(lease.release());
	}

	private DefaultLockTemplate template(Duration pollInterval) {
		return DefaultLockTemplate.builder().provider(this.provider).pollInterval(pollInterval).build();
	}

	private Lease acquire(String key, Duration leaseTime) {
		Lease lease = attempt(key, leaseTime);
		assertThat(lease).isNotNull();
		return lease;
	}

	private Lease attempt(String key, Duration leaseTime) {
		return get(this.provider.tryAcquire(new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE)));
	}

	/**
	 * Return what clients sent: commands less those that scripts call.
	 */
	private static long lastToken(String key) {
		return Long.parseLong(String.valueOf(server.command("GET", "redisson_lock_token:{" + key + "}")));
	}

	private static long sent(Map<String, Long> calls) {
		return calls.getOrDefault("eval", 0L) + calls.getOrDefault("evalsha", 0L)
		// by hand a latch is deleted by a command of its own, the lock by the script
				+ calls.getOrDefault("del", 0L) - 1;
	}

	private static Map<String, Long> callsOf(Runnable work) {
		awaitEndOfUnlock();
		server.command("CONFIG", "RESETSTAT");
		work.run();
		awaitEndOfUnlock();
		Map<String, Long> calls = new TreeMap<>(server.commandCalls());
		calls.keySet().removeAll(List.of("keys", "config", "config|resetstat", "info", "ping"));
		return calls;
	}

	/**
	 * Wait until Redisson has deleted the latch of the lock by hand.
	 */
	private static void awaitEndOfUnlock() {
		Patience.await().until(() -> List.of().equals(server.command("KEYS", "redisson_unlock_latch:{by-hand}*")));
	}

}
