package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of fair locks.
 */
class RedisFairTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration ONCE = Duration.ZERO;

	private RedisTestServer server;

	private RedisClient client;

	private RedisAsyncCommands<String, String> redis;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
		this.client = Clients.client(this.server.url());
		this.redis = this.client.connect().async();
	}

	@AfterEach
	void stop() {
		Clients.shutdown(this.client);
		this.server.close();
	}

	@Test
	void grantThatIsAskedForAgainIsRepeatedWhileAnotherWaits() {
		ask("holder", ONCE);
		assertThat(ask("first", LONG)).isZero();
		assertThat(ask("second", LONG)).isZero();
		this.server.command("DEL", "k");
		long token = ask("first", LONG);
		assertThat(ask("first", LONG)).isEqualTo(token).isPositive();
		assertThat(ask("second", LONG)).isZero();
		assertThat(queue()).containsExactly("second");
	}

	@Test
	void attemptWhoseAnswerWasLostIsRepeatedWhileAnotherWaits() throws Exception {
		LockRequest request = LockRequest.of("k").withType(LockType.FAIR).withLeaseTime(LONG);
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			RedisClient far = Clients.client("redis://127.0.0.1:" + proxy.port());
			RedisLockProvider cutOff = new RedisLockProvider(far, TIMEOUT);
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(cutOff)
				.commandTimeout(TIMEOUT)
				.build()) {
				template.acquire(request.withWaitTime(LONG)).close();
				proxy.cutAt(TcpProxy.Direction.REPLIES, 0, 1);
				proxy.refuse();
				CompletableFuture<Optional<LockHandle>> attempt = CompletableFuture
					.supplyAsync(() -> template.tryAcquire(request));
				Awaitility.await().until(() -> this.server.command("EXISTS", "k").equals(1L));
				assertThat(ask("second", LONG)).isZero();
				// now the client reconnects, and sends the attempt again
				proxy.heal();
				LockHandle handle = get(attempt).orElseThrow();
				assertThat(handle.isValid()).isTrue();
				handle.close();
				assertThat(ask("second", LONG)).isPositive();
			}
			finally {
				cutOff.close();
				Clients.shutdown(far);
			}
		}
	}

	@Test
	void waiterThatExpiresLeavesThePlacesOfOthers() {
		ask("holder", ONCE);
		assertThat(ask("first", LONG)).isZero();
		assertThat(ask("dies", Duration.ofMillis(40))).isZero();
		for (String key : List.of("{k}:queue", "{k}:alive")) {
			assertThat((Long) this.server.command("PTTL", key)).as(key)
				.isBetween(LONG.dividedBy(2).toMillis(), LONG.toMillis());
		}
		Awaitility.await().untilAsserted(() -> {
			assertThat(ask("last", LONG)).isZero();
			assertThat(queue()).containsExactly("first", "last");
		});
		this.server.command("DEL", "k");
		assertThat(ask("last", LONG)).isZero();
		assertThat(ask("first", LONG)).isPositive();
	}

	/**
	 * Ask for the lock with a lease that does not expire while the test runs.
	 * @param alive for how long the owner counts as waiting afterwards
	 */
	private long ask(String owner, Duration alive) {
		String[] keys = { "k", "{k}:token", "{k}:queue", "{k}:alive" };
		return get(RedisCall
			.of(RedisScript.ACQUIRE_IN_TURN, keys, owner, Long.toString(LONG.toMillis()),
					Long.toString(LONG.toMillis()), Long.toString(alive.toMillis()))
			.send(this.redis, TIMEOUT));
	}

	private List<String> queue() {
		return ((List<?>) this.server.command("ZRANGE", "{k}:queue", "0", "-1")).stream().map(String::valueOf).toList();
	}

}
