package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.redis.Clients.get;
import static io.distributedlock.redis.Clients.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Some of five independent servers fail: a minority is no problem, a majority is an
 * outage.
 */
class RedlockFaultsTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	/**
	 * For a majority that answers, on a busy machine.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(5);

	private final List<RedisTestServer> servers = new ArrayList<>();

	private final List<RedisClient> clients = new ArrayList<>();

	private RedlockProvider provider;

	@BeforeEach
	void start() {
		for (int i = 0; i < 5; i++) {
			this.servers.add(RedisTestServer.run());
		}
		this.provider = provider(this.servers.stream().map(RedisTestServer::url).toList());
	}

	@AfterEach
	void stop() {
		this.clients.forEach(Clients::shutdown);
		this.servers.forEach(RedisTestServer::close);
	}

	@Test
	void minorityMayBeKilled() {
		RedlockProvider other = patientProvider();
		Lease lease = acquireOnAll(patientProvider(), "k");
		this.servers.get(0).kill();
		this.servers.get(3).kill();
		assertThat(get(other.tryAcquire(request("k", LONG)))).as("while it is held").isNull();
		assertThat(get(lease.renew(LONG))).isNotNull();
		assertThat(get(lease.release())).isTrue();
		assertThat(get(other.tryAcquire(request("k", LONG)))).isNotNull();
	}

	@Test
	void majorityThatIsDownIsAnOutage() {
		Lease lease = acquireOnAll(this.provider, "held");
		this.servers.subList(0, 3).forEach(RedisTestServer::kill);
		try (DefaultLockTemplate template = template()) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("3 of 5 servers");
			Patience.await("the cause and an address")
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("k"))
					.withMessageContaining("The last one: Redis cannot be reached (Connection refused: ")
					.withMessageContaining("127.0.0.1:"));
		}
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(lease.renew(LONG)));
		assertNothingIsLeft("k");
	}

	@Test
	void ownersAndForcedReleasesNeedAMajority() {
		RedlockProvider other = patientProvider();
		Lease lease = acquireOnAll(patientProvider(), "k");
		this.servers.get(0).kill();
		this.servers.get(3).kill();
		LockOwner owner = get(other.owners("k")).get(0);
		assertThat(lease.ownerId()).contains(owner.id());
		assertThat(owner.remaining().orElseThrow()).isBetween(Duration.ofSeconds(1), LONG);
		assertThat(get(other.revoke("k", owner))).isTrue();
		assertThat(get(lease.renew(LONG))).isNull();
		assertThat(get(other.owners("k"))).isEmpty();
		this.servers.get(1).kill();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(other.owners("k")))
			.withMessageContaining("3 of 5 servers");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(other.revoke("k", owner)))
			.withMessageContaining("3 of 5 servers");
	}

	@ParameterizedTest
	@EnumSource
	void minorityMayBeFlushedFullOrReadOnly(Fault fault) {
		RedlockProvider other = patientProvider();
		Lease lease = acquireOnAll(patientProvider(), "k");
		this.servers.subList(0, 2).forEach(fault::strike);
		assertThat(get(other.tryAcquire(request("k", LONG)))).as("while it is held").isNull();
		assertThat(get(lease.renew(LONG))).isNotNull();
		assertThat(get(lease.release())).isTrue();
		assertThat(get(Objects.requireNonNull(get(other.tryAcquire(request("k", LONG)))).release())).isTrue();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLUSHED")
	void majorityThatIsFullOrReadOnlyIsAnOutage(Fault fault) {
		warmUp(this.provider, "before");
		this.servers.subList(0, 3).forEach(fault::strike);
		try (DefaultLockTemplate template = template()) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("3 of 5 servers");
		}
		assertNothingIsLeft("k");
	}

	@Test
	void ownerIsRemovedAlsoWhereTheServerDidNotAnswer() throws Exception {
		List<TcpProxy> proxies = this.servers.stream().map((server) -> new TcpProxy(server.port())).toList();
		RedlockProvider far = provider(proxies.stream().map((proxy) -> "redis://127.0.0.1:" + proxy.port()).toList());
		warmUp(far, "warm");
		proxies.subList(0, 3).forEach(TcpProxy::dropReplies);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(far.tryAcquire(request("k", LONG))));
		assertThat(this.servers.get(0).commandCalls().get("set")).as("set, although the answer was lost")
			.isGreaterThan(1);
		proxies.forEach(TcpProxy::heal);
		assertNothingIsLeft("k");
		proxies.forEach(TcpProxy::close);
	}

	/**
	 * If a connection is lost before the answer, clients send the command again, as
	 * Lettuce does by default.
	 */
	@Test
	void attemptThatWasSentTwiceIsNotItsOwnContention() {
		List<TcpProxy> proxies = this.servers.stream().map((server) -> new TcpProxy(server.port())).toList();
		RedlockProvider far = provider(proxies.stream().map((proxy) -> "redis://127.0.0.1:" + proxy.port()).toList(),
				Duration.ofSeconds(5));
		warmUp(far, "warm");
		// a majority has answered; wait for the others
		Patience.await()
			.until(() -> this.servers.stream().allMatch((server) -> server.commandCalls().containsKey("eval")));
		proxies.forEach(TcpProxy::dropReplies);
		CompletionStage<Lease> attempt = far.tryAcquire(request("k", LONG));
		Patience.await()
			.until(() -> this.servers.stream().allMatch((server) -> server.command("EXISTS", "k").equals(1L)));
		proxies.forEach(TcpProxy::heal);
		Lease lease = get(attempt);
		assertThat(lease).isNotNull();
		assertThat(get(lease.release())).isTrue();
		assertNothingIsLeft("k");
		proxies.forEach(TcpProxy::close);
	}

	@Test
	void attemptThatWasGivenUpDuringAStallLeavesNothing() {
		warmUp(this.provider, "warm");
		this.servers.forEach((server) -> server.command("SCRIPT", "FLUSH"));
		this.servers.forEach(RedisTestServer::suspend);
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> get(this.provider.tryAcquire(request("k", LONG))));
		this.servers.forEach(RedisTestServer::resume);
		Patience.await().ignoreExceptions().until(() -> {
			get(Objects.requireNonNull(get(this.provider.tryAcquire(request("barrier", LONG)))).release());
			return true;
		});
		assertNothingIsLeft("k");
	}

	@Test
	void termIsShorterByTheTimeOfTheAnswers() {
		RedlockProvider patient = patientProvider();
		warmUp(patient, "warm");
		long before = System.nanoTime();
		Lease lease = Objects.requireNonNull(get(patient.tryAcquire(request("k", LONG))));
		LeaseTerm term = lease.term();
		assertThat(term.startNanos()).isBetween(before, System.nanoTime());
		assertThat(term.deadlineNanos() - term.startNanos()).isLessThanOrEqualTo(LONG.toNanos() * 99 / 100);
	}

	@Test
	void refusedAttemptIsAnsweredWhenNothingOfItIsLeft() {
		RedlockProvider patient = patientProvider();
		warmUp(patient, "warm");
		this.servers.subList(0, 3).forEach((server) -> server.command("SET", "k", "other", "PX", "600000"));
		for (int i = 0; i < 50; i++) {
			assertThat(get(patient.tryAcquire(request("k", LONG)))).isNull();
			assertThat(this.servers.subList(3, 5)).allMatch((server) -> server.command("EXISTS", "k").equals(0L));
		}
	}

	@Test
	void releaseThatOvertakesTheRequestLeavesNothing() {
		RedlockProvider patient = patientProvider();
		warmUp(patient, "warm");
		for (int round = 0; round < 100; round++) {
			String keys = round + "-";
			// the thread that reads the answer of the majority sends at once, in front of
			// what this thread has sent and the client has queued
			get(CompletableFuture.allOf(IntStream.range(0, 50)
				.mapToObj((i) -> patient.tryAcquire(request(keys + i, Duration.ofMinutes(5)))
					.thenCompose((lease) -> Objects.requireNonNull(lease).release())
					.toCompletableFuture())
				.toArray(CompletableFuture<?>[]::new)));
		}
		Patience.await().until(() -> this.servers.stream().allMatch((server) -> server.command("DBSIZE").equals(0L)));
	}

	@Test
	void dividedServersAreReleasedAndOneOwnerAcquires() {
		// two owners that have two servers each, as after a tie; their leases expire
		for (int i = 0; i < 4; i++) {
			this.servers.get(i).command("SET", "k", "other" + i % 2, "PX", "700");
		}
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(this.provider).build();
				LockHandle handle = template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(60)))) {
			assertThat(handle.isValid()).isTrue();
			assertThat(handle.fencingToken()).isEmpty();
		}
		assertNothingIsLeft("k");
	}

	/**
	 * A JVM that has just started is slow. That is no outage of the servers.
	 */
	@Test
	void firstCommandMayTakeLonger() {
		warmUp(this.provider, "warm");
		List<TcpProxy> proxies = this.servers.stream().map((server) -> new TcpProxy(server.port())).toList();
		proxies.forEach((proxy) -> proxy.delay(TcpProxy.Direction.REPLIES, Duration.ofMillis(400)));
		List<String> urls = proxies.stream().map((proxy) -> "redis://127.0.0.1:" + proxy.port()).toList();
		// on a busy machine it may take longer still: then another provider has its first
		// command
		Patience.await()
			.ignoreExceptions()
			.until(() -> get(provider(urls, Duration.ofMillis(200)).tryAcquire(request("k", LONG))) != null);
		proxies.forEach(TcpProxy::close);
	}

	@Test
	void fewerThanThreeServersAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedlockProvider(this.clients.subList(0, 2), Duration.ofMillis(50)))
			.withMessageContaining("three");
	}

	/**
	 * Acquire until all servers have granted the lease. A majority is enough, so one
	 * whose first connection takes longer may be missing.
	 */
	private Lease acquireOnAll(RedlockProvider by, String key) {
		Lease[] lease = new Lease[1];
		Patience.await().ignoreExceptions().until(() -> {
			lease[0] = Objects.requireNonNull(get(by.tryAcquire(request(key, LONG))));
			boolean onAll = this.servers.stream().allMatch((server) -> server.command("EXISTS", key).equals(1L));
			if (!onAll) {
				get(lease[0].release());
			}
			return onAll;
		});
		return lease[0];
	}

	/**
	 * Acquire a lock on all servers and release it. On a busy machine an answer may be
	 * late.
	 */
	private void warmUp(RedlockProvider by, String key) {
		Patience.await().ignoreExceptions().until(() -> get(acquireOnAll(by, key).release()));
	}

	private DefaultLockTemplate template() {
		// longer than the provider takes for its verdict
		return DefaultLockTemplate.builder().provider(this.provider).commandTimeout(Patience.LIMIT).build();
	}

	private void assertNothingIsLeft(String key) {
		Patience.await()
			.during(Duration.ofMillis(300))
			.until(() -> this.servers.stream()
				.filter(RedisTestServer::isAlive)
				.allMatch((server) -> server.command("EXISTS", key).equals(0L)));
	}

	private RedlockProvider patientProvider() {
		return provider(this.servers.stream().map(RedisTestServer::url).toList(), PATIENT);
	}

	private RedlockProvider provider(List<String> urls) {
		return provider(urls, Duration.ofSeconds(1));
	}

	private RedlockProvider provider(List<String> urls, Duration nodeTimeout) {
		List<RedisClient> own = urls.stream().map(Clients::client).toList();
		this.clients.addAll(own);
		return new RedlockProvider(own, nodeTimeout);
	}

	/**
	 * A fault of some servers.
	 */
	enum Fault {

		FLUSHED("FLUSHALL"), FULL("CONFIG SET maxmemory 1"), READ_ONLY("REPLICAOF 127.0.0.1 1");

		private final String command;

		Fault(String command) {
			this.command = command;
		}

		void strike(RedisTestServer server) {
			server.command(this.command.split(" ", -1));
		}

	}

}
