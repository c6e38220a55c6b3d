package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.network.ProxyConnection;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static io.distributedlock.redis.Clients.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Clients that an application has configured with a time-out of their own, or to refuse
 * commands while they are disconnected.
 */
class RedisClientOptionsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration TIMEOUT_OF_THE_CLIENT = Duration.ofMillis(200);

	/**
	 * Renewed after a third of it.
	 */
	private static final Duration LEASE = Duration.ofSeconds(20);

	private static final Duration LONG = Duration.ofSeconds(60);

	private final List<Runnable> closing = new ArrayList<>();

	private RedisTestServer server;

	private TcpProxy proxy;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
		this.proxy = new TcpProxy(this.server.port());
	}

	@AfterEach
	void stop() {
		this.closing.forEach(Runnable::run);
		this.proxy.close();
		this.server.close();
	}

	@Test
	void silentConnectionIsReplacedAlthoughTheClientGivesUpFirst() {
		RedisLockProvider provider = provider(impatient());
		awaitAcquired(provider, "warm");
		fallSilent();
		awaitAcquired(provider, "k");
	}

	@Test
	void heldLockOutlivesASilentConnectionAlthoughTheClientGivesUpFirst() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider(impatient()))
			.commandTimeout(TIMEOUT)
			.renewalLeaseTime(LEASE)
			.build(); LockHandle handle = template.acquire(LockRequest.of("k").withWaitTime(LONG))) {
			fallSilent();
			// shorter than at the next renewal, and longer again after it
			Patience.await("time for a renewal").until(() -> remaining(handle) < LEASE.toMillis() * 3 / 4);
			Patience.await("renewal").until(() -> remaining(handle) > LEASE.toMillis() * 3 / 4);
			assertThat(handle.isValid()).isTrue();
		}
	}

	/**
	 * Return for how many milliseconds the server keeps a lock.
	 */
	private long remaining(LockHandle handle) {
		return (Long) Objects.requireNonNull(this.server.command("PTTL", handle.key()));
	}

	/**
	 * The connection was idle before, so its last answer is long ago.
	 */
	@Test
	void connectionThatIsSilentOnlyForTheClientsTimeoutIsKept() {
		RedisLockProvider provider = provider(impatient());
		awaitAcquired(provider, "warm");
		Patience.await().during(TIMEOUT.plus(TIMEOUT_OF_THE_CLIENT)).until(() -> true);
		List<ProxyConnection> before = this.proxy.connections();
		this.proxy.hold(TcpProxy.Direction.REPLIES);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(provider.tryAcquire(request("k", LONG))))
			.havingCause()
			.isInstanceOfSatisfying(BackendException.class, (ex) -> assertThat(ex.isRetryable()).isTrue());
		this.proxy.heal();
		awaitAcquired(provider, "l");
		Patience.await().during(TIMEOUT).until(() -> this.proxy.connections().equals(before));
	}

	@Test
	void channelsWithoutListenersAreUnsubscribedAfterADisconnectedClientRefusedThat() {
		RedisLockProvider provider = provider(ClientOptions.builder()
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.build());
		Set<String> heard = ConcurrentHashMap.newKeySet();
		List<ReleaseSignal.Subscription> waiting = IntStream.range(0, 20)
			.mapToObj((i) -> provider.listen("k" + i, () -> heard.add("k" + i)))
			.toList();
		Patience.await().until(() -> heard.size() == 20);
		this.proxy.refuse();
		this.proxy.cut();
		Patience.await().until(() -> channels().isEmpty());
		waiting.stream().skip(1).forEach(ReleaseSignal.Subscription::close);
		this.proxy.heal();
		Patience.await().untilAsserted(() -> assertThat(channels()).containsExactly("k0"));
	}

	@Test
	void listenerIsHeardAfterADisconnectedClientRefusedItsSubscription() {
		RedisLockProvider provider = provider(ClientOptions.builder()
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.build());
		listen(provider, "before");
		this.proxy.refuse();
		this.proxy.cut();
		Patience.await().until(() -> channels().isEmpty());
		provider.listen("k", () -> {
		});
		this.proxy.heal();
		Patience.await().untilAsserted(() -> assertThat(channels()).contains("k"));
	}

	@Test
	void listenerIsHeardAlthoughTheConnectionWasSilent() {
		RedisLockProvider provider = provider(ClientOptions.create());
		listen(provider, "before");
		fallSilent();
		listen(provider, "k");
	}

	/**
	 * Listen, and wait until the server has answered.
	 */
	private static void listen(RedisLockProvider provider, String key) {
		AtomicBoolean heard = new AtomicBoolean();
		provider.listen(key, () -> heard.set(true));
		Patience.await().untilTrue(heard);
	}

	/**
	 * A client with a time-out of its own cannot set its timer any more.
	 */
	@Test
	void listenerLeavesAfterItsClientWasShutDown() {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + this.proxy.port());
		client.setOptions(impatient());
		try (RedisLink link = new RedisLink(client, TIMEOUT)) {
			RedisRunner runner = new RedisRunner(link);
			ReleaseSignal.Subscription subscription = runner.hearReleases("left", () -> {
			});
			Patience.await().until(() -> channels().contains("left"));
			client.shutdown(0, 2, TimeUnit.SECONDS);
			assertThatCode(subscription::close).doesNotThrowAnyException();
			assertThat(runner.channels()).isZero();
		}
	}

	/**
	 * Ask until the lock is granted: on a slow machine the client may give up first.
	 */
	private static void awaitAcquired(RedisLockProvider provider, String key) {
		Patience.await().ignoreExceptions().until(() -> get(provider.tryAcquire(request(key, LONG))) != null);
	}

	private static ClientOptions impatient() {
		return ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled(TIMEOUT_OF_THE_CLIENT)).build();
	}

	private void fallSilent() {
		this.proxy.connections().forEach((connection) -> {
			connection.drop(TcpProxy.Direction.REQUESTS);
			connection.drop(TcpProxy.Direction.REPLIES);
		});
	}

	private RedisLockProvider provider(ClientOptions options) {
		RedisClient client = Clients.client("redis://127.0.0.1:" + this.proxy.port());
		client.setOptions(options);
		RedisLockProvider provider = new RedisLockProvider(client, TIMEOUT);
		this.closing.add(provider::close);
		this.closing.add(() -> Clients.shutdown(client));
		return provider;
	}

	private List<String> channels() {
		return ((List<?>) this.server.command("PUBSUB", "CHANNELS")).stream().map(String::valueOf).toList();
	}

}
