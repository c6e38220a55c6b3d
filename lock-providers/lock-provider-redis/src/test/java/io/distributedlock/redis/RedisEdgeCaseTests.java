package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.redis.internal.client.RedisCall;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redis.scripts.script.Shortfalls;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static io.distributedlock.redis.Clients.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Edge cases against a real server, and common mistakes of locks that are written by
 * hand.
 */
class RedisEdgeCaseTests {

	private static final TokenCounters COUNTERS = new TokenCounters(RedisLockProvider.DEFAULT_PREFIX, false);

	private static final Duration LONG = Duration.ofSeconds(60);

	/**
	 * Of providers that are to get no answer.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private RedisTestServer server;

	private RedisClient client;

	private RedisLockProvider provider;

	@BeforeEach
	void start() {
		this.server = RedisTestServer.run();
		this.client = Clients.client(this.server.url());
		this.provider = new RedisLockProvider(this.client, Patience.LIMIT);
	}

	@AfterEach
	void stop() {
		this.provider.close();
		Clients.shutdown(this.client);
		this.server.close();
	}

	@Test
	void lockAndReleaseCostOneRoundTripEach() {
		get(get(this.provider.tryAcquire(request("warm", LONG))).release());
		Map<String, Long> before = new TreeMap<>(this.server.commandCalls());
		get(get(this.provider.tryAcquire(request("k", LONG))).release());
		Map<String, Long> after = this.server.commandCalls();
		assertThat(after.get("evalsha") - before.get("evalsha")).isEqualTo(2);
		assertThat(after).containsEntry("eval", before.get("eval"));
	}

	@Test
	void scriptsAreSentAgainAfterTheServerForgotThem() {
		Lease lease = get(this.provider.tryAcquire(request("k", LONG)));
		this.server.command("SCRIPT", "FLUSH");
		assertThat(get(lease.renew(LONG))).isNotNull();
		this.server.command("SCRIPT", "FLUSH");
		assertThat(get(lease.release())).isTrue();
		assertThat(this.server.command("EXISTS", "k")).isEqualTo(0L);
	}

	@Test
	void commandThatIsSentTwiceTakesTheLockOnce() {
		RedisAsyncCommands<String, String> redis = this.client.connect().async();
		assertThat(get(acquire("me").<Long>send(redis, Patience.LIMIT))).isPositive();
		assertThat(get(acquire("me").<Long>send(redis, Patience.LIMIT))).as("granted again").isNotZero();
		assertThat(get(acquire("you").<Long>send(redis, Patience.LIMIT))).isZero();
	}

	private static RedisCall acquire(String owner) {
		return new RedisCall(
				new ScriptCall(LockScripts.PLAIN.acquire(), COUNTERS.keys("k"), List.of("jvm." + owner, "60000 1")),
				new Shortfalls((sentence) -> {
				}));
	}

	@Test
	void tokensRiseAlsoAfterTheCounterWasLost() {
		long first = tokenOf("k");
		this.server.command("DEL", COUNTERS.counter("k"));
		long second = tokenOf("k");
		this.server.command("FLUSHALL");
		long third = tokenOf("k");
		// as if a clock had run ahead
		this.server.command("SET", COUNTERS.counter("k"), Long.toString(third * 2));
		assertThat(second).isGreaterThan(first);
		assertThat(third).isGreaterThan(second);
		assertThat(tokenOf("k")).isEqualTo(third * 2 + 1);
	}

	@Test
	void exactKeyIsThatOfALockByHand() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.keyPrefix("shop")
			.build()) {
			for (String key : List.of("{tenant}:42", "lock:{42}", "订单 42")) {
				LockRequest request = LockRequest.ofExactKey(key).withWaitTime(Duration.ZERO);
				assertThat(this.server.command("SET", key, "by hand", "NX", "PX", "60000")).isEqualTo("OK");
				for (LockType type : List.of(LockType.EXCLUSIVE, LockType.FAIR, LockType.READ, LockType.WRITE)) {
					assertThat(template.tryAcquire(request.withType(type))).as("%s %s", key, type).isEmpty();
				}
				assertThat(this.server.command("GET", key)).isEqualTo("by hand");
				this.server.command("DEL", key);
				for (LockType type : List.of(LockType.EXCLUSIVE, LockType.FAIR, LockType.READ, LockType.WRITE)) {
					template.execute(request.withType(type),
							() -> assertThat(this.server.command("SET", key, "by hand", "NX", "PX", "60000")).isNull());
				}
			}
		}
	}

	@Test
	void counterExpires() {
		tokenOf("k");
		assertThat((Long) this.server.command("PTTL", COUNTERS.counter("k"))).isBetween(Duration.ofHours(23).toMillis(),
				Duration.ofDays(1).toMillis());
	}

	@Test
	void everyKeyHasAnExpiry() {
		try (DefaultLockTemplate holder = DefaultLockTemplate.builder().provider(this.provider).build();
				DefaultLockTemplate waiter = DefaultLockTemplate.builder().provider(this.provider).build()) {
			List<LockHandle> held = new ArrayList<>();
			List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
			for (LockType type : LockType.values()) {
				LockRequest request = LockRequest.of(type.name()).withWaitTime(LONG);
				LockRequest ofType = (type == LockType.SEMAPHORE) ? request.withPermits(2) : request.withType(type);
				held.add(holder.acquire(ofType));
				assertEverythingExpires();
				held.get(held.size() - 1).extend(LONG);
				waiting.add(waiter.acquireAsync(ofType));
				waiting.add(waiter.acquireAsync(ofType));
				assertEverythingExpires();
			}
			Patience.await().during(Duration.ofMillis(500)).untilAsserted(this::assertEverythingExpires);
			held.forEach(LockHandle::close);
			assertEverythingExpires();
			waiting.forEach((call) -> get(call).close());
			assertEverythingExpires();
			Patience.await()
				.untilAsserted(() -> assertThat((List<?>) this.server.command("KEYS", "*"))
					.allMatch((key) -> Clients.isCounter(key.toString())));
		}
	}

	private void assertEverythingExpires() {
		for (Object key : (List<?>) this.server.command("KEYS", "*")) {
			// -2 means that the key has expired meanwhile
			assertThat((Long) this.server.command("PTTL", key.toString())).as(key.toString()).isNotEqualTo(-1L);
		}
	}

	@Test
	void ownerWhoseAnswerWasLostIsRemoved() throws Exception {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			RedisClient far = Clients.client("redis://127.0.0.1:" + proxy.port());
			RedisLockProvider slow = new RedisLockProvider(far, TIMEOUT);
			Patience.await("connection")
				.ignoreExceptions()
				.until(() -> get(get(slow.tryAcquire(request("warm", LONG))).release()));
			proxy.dropReplies();
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> get(slow.tryAcquire(request("k", LONG))))
				.havingCause()
				.isInstanceOfSatisfying(BackendException.class, (ex) -> assertThat(ex.isRetryable()).isTrue());
			Patience.await("granted, although the answer was lost")
				.until(() -> this.server.command("EXISTS", COUNTERS.counter("k")).equals(1L));
			proxy.heal();
			Patience.await().until(() -> this.server.command("EXISTS", "k").equals(0L));
			slow.close();
			Clients.shutdown(far);
		}
	}

	@Test
	void serverThatIsDownIsAnOutageAndNotContention() {
		Clients.assertOutageIsToldEarly(this.client, this.server, "k");
	}

	@Test
	void outageNamesItsCauseAndTheAddress() {
		get(get(this.provider.tryAcquire(request("k", LONG))).release());
		this.server.kill();
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(this.provider).build()) {
			Patience.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("k"))
					.withMessageContaining("cannot be reached (Connection refused: ")
					.withMessageContaining("127.0.0.1:" + this.server.port()));
		}
	}

	@Test
	void serverThatIsTooOldIsNamedAtTheStart() {
		try (RedisTestServer old = RedisTestServer.runAsOld(); StandardError log = new StandardError()) {
			RedisClient client = Clients.client(old.url());
			RedisLockProvider provider = new RedisLockProvider(client, Patience.LIMIT);
			provider.checkAccess("app");
			Patience.await()
				.untilAsserted(() -> assertThat(log.text()).contains("Locks under 'app' cannot work: the server has")
					.contains("5.0 or later"));
			assertThat(provider.ping().toCompletableFuture()).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(BackendException.class)
				.withMessageContaining("the server has the version " + old.version());
			provider.close();
			Clients.shutdown(client);
		}
	}

	@Test
	void providerCanBeCreatedBeforeItsServerIsUp() {
		this.server.kill();
		RedisClient early = Clients.client(this.server.url());
		RedisLockProvider waiting = new RedisLockProvider(early, TIMEOUT);
		waiting.checkAccess("app");
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(waiting).build()) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"));
			this.server.start();
			template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(60))).close();
		}
		waiting.close();
		Clients.shutdown(early);
	}

	@Test
	void waitForAPermitLeavesNoMarkOnTheLockOfThatKey() {
		LeaseRequest permit = new LeaseRequest("k", LONG, LockType.SEMAPHORE);
		Lease lease = get(this.provider.tryAcquire(permit));
		assertThat(get(this.provider.tryAcquire(permit))).isNull();
		assertThat(this.server.command("EXISTS", "{k}:permits:mark")).isEqualTo(1L);
		assertThat(this.server.command("EXISTS", "{k}:alive")).isEqualTo(0L);
		assertThat(get(lease.release())).isTrue();
		assertThat(this.server.command("EXISTS", "{k}:permits:mark")).as("told").isEqualTo(0L);
	}

	@Test
	void fullServerRefusesLocksAndStillReleases() {
		Lease lease = get(this.provider.tryAcquire(request("k", LONG)));
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> get(this.provider.tryAcquire(request("l", LONG))))
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("out of memory");
		assertThat(this.server.command("EXISTS", "l")).isEqualTo(0L);
		assertThat(get(lease.renew(LONG))).isNotNull();
		assertThat(get(lease.release())).isTrue();
	}

	@Test
	void keyOfAnotherTypeIsNotChanged() {
		this.server.command("RPUSH", "k", "x");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> get(this.provider.tryAcquire(request("k", LONG))))
			.havingCause()
			.isInstanceOfSatisfying(BackendException.class, (ex) -> assertThat(ex.isRetryable()).isFalse())
			.withMessageContaining("lock.key-prefix");
		assertThat(this.server.command("LLEN", "k")).isEqualTo(1L);
	}

	@Test
	void waitersOfAKeyShareASubscriptionThatEndsWithThem() {
		RedisRunner runner = new RedisRunner(new RedisLink(this.client, Patience.LIMIT));
		var first = runner.hearReleases("k", () -> {
		});
		var second = runner.hearReleases("k", () -> {
		});
		Patience.await().until(() -> this.server.command("PUBSUB", "CHANNELS").toString().contains("k"));
		first.close();
		assertThat(runner.channels()).isEqualTo(1);
		second.close();
		second.close();
		Patience.await().until(() -> !this.server.command("PUBSUB", "CHANNELS").toString().contains("k"));
		assertThat(runner.channels()).isZero();
		runner.hearReleases("k", () -> {
		}).close();
		assertThat(runner.channels()).isZero();
	}

	/**
	 * A command that is sent on the thread of a connection overtakes those which other
	 * threads have just given to that connection.
	 */
	@Test
	void listenerIsHeardAlthoughItsCommandOvertakesThatOfTheLastOne() {
		CompletableFuture<ReleaseSignal.Subscription> first = new CompletableFuture<>();
		CompletableFuture<ReleaseSignal.Subscription> second = new CompletableFuture<>();
		AtomicInteger heard = new AtomicInteger();
		first.complete(this.provider.listen("k", () -> {
			if (!second.isDone()) {
				CompletableFuture.runAsync(() -> first.join().close()).join();
				second.complete(this.provider.listen("k", heard::incrementAndGet));
			}
		}));
		get(second);
		Patience.await().during(Duration.ofSeconds(1)).until(() -> true);
		int before = heard.get();
		this.server.command("PUBLISH", "k", "");
		Patience.await().until(() -> heard.get() > before);
	}

	@Test
	void listenerThatFoundNoConnectionHearsOverTheNextOne() {
		this.server.kill();
		try (RedisLink link = new RedisLink(this.client, Patience.LIMIT)) {
			RedisRunner runner = new RedisRunner(link);
			AtomicInteger told = new AtomicInteger();
			runner.hearReleases("k", told::incrementAndGet);
			assertThat(link.messages()).failsWithin(Patience.LIMIT);
			this.server.start();
			runner.hearReleases("another", () -> {
			});
			Patience.await("the release is heard").until(() -> {
				int before = told.get();
				return this.server.command("PUBLISH", "k", "").equals(1L) && told.get() > before;
			});
		}
	}

	/**
	 * A common mistake: two commands instead of one. A client that dies between them
	 * leaves a lock that never expires.
	 */
	@Test
	void setnxAndExpireInTwoCommandsLeaveALockWithoutExpiry() {
		RedisCommands<String, String> redis = this.client.connect().sync();
		assertThat(redis.setnx("by-hand", "me")).isTrue();
		// the client dies here, before EXPIRE
		assertThat(redis.pttl("by-hand")).as("time to live: none").isEqualTo(-1);
		Lease lease = get(this.provider.tryAcquire(request("k", LONG)));
		assertThat(redis.pttl("k")).isBetween(1L, LONG.toMillis());
		get(lease.release());
	}

	/**
	 * Another common mistake: a time stamp as the value, replaced by GETSET. Two callers
	 * that find it expired both write. The second one overwrites the time stamp of the
	 * first one, which then holds a lock with an expiry that is not its own.
	 */
	@Test
	void getsetLetsTheLoserMoveTheExpiryOfTheWinner() {
		RedisCommands<String, String> redis = this.client.connect().sync();
		redis.set("by-hand", "1000");
		assertThat(redis.get("by-hand")).as("what both read").isEqualTo("1000");
		String seenByFirst = redis.getset("by-hand", "5000");
		String seenBySecond = redis.getset("by-hand", "9000");
		assertThat(seenByFirst).as("the first has won").isEqualTo("1000");
		assertThat(seenBySecond).as("the second has lost").isEqualTo("5000");
		assertThat(redis.get("by-hand")).as("the winner's expiry, written by the loser").isEqualTo("9000");
	}

	/**
	 * A release that does not compare the owner in the same step removes the lock of a
	 * successor.
	 */
	@Test
	void releaseInTwoCommandsRemovesTheLockOfTheSuccessor() {
		RedisCommands<String, String> redis = this.client.connect().sync();
		redis.set("by-hand", "me", SetArgs.Builder.nx().px(60_000));
		assertThat(redis.get("by-hand")).as("compared: it is mine").isEqualTo("me");
		redis.pexpire("by-hand", 1);
		Patience.await().until(() -> redis.exists("by-hand") == 0);
		redis.set("by-hand", "successor", SetArgs.Builder.nx().px(60_000));
		assertThat(redis.del("by-hand")).as("deleted: it was not mine").isEqualTo(1);
		redis.set("by-hand", "successor", SetArgs.Builder.nx().px(60_000));
		assertThat(redis.<Long>eval(releaseSource(), ScriptOutputType.INTEGER, new String[] { "by-hand" }, "me"))
			.isZero();
		assertThat(redis.get("by-hand")).isEqualTo("successor");
	}

	@Test
	void holderIsToldAtTheDeadlineThoughTheServerIsGone() throws Exception {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(Duration.ofMillis(900))
			.build(); LockHandle handle = template.acquire("k")) {
			this.server.kill();
			Patience.await().until(() -> !handle.isValid());
		}
	}

	private static String releaseSource() {
		return "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('del', KEYS[1])";
	}

	private long tokenOf(String key) {
		Lease lease = get(this.provider.tryAcquire(request(key, LONG)));
		get(lease.release());
		return lease.fencingToken().orElseThrow();
	}

}
