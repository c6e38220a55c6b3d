package io.distributedlock.redisson;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.redis.scripts.ExclusiveLocks;
import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.WriteRedisConnectionException;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The errors of failures, and what follows from them.
 */
class RedissonErrorsTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	@ParameterizedTest
	@EnumSource(LockType.class)
	void serverIsAskedAgainAfterAnOutage(LockType type) {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedissonClient client = Clients.connect(server.url());
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(new RedissonLockProvider(client))
				.build()) {
				template.acquire(ofType("before", type).withWaitTime(Patience.LIMIT)).close();
				server.kill();
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> acquireNow(template, type));
				CompletableFuture<LockHandle> waiting = template
					.acquireAsync(ofType("after", type).withWaitTime(Duration.ofSeconds(60)));
				Patience.await().during(Duration.ofSeconds(2)).until(() -> !waiting.isDone());
				server.start();
				assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static void acquireNow(DefaultLockTemplate template, LockType type) {
		template.acquire(ofType("down", type).withWaitTime(Duration.ZERO)).close();
	}

	@Test
	void serverThatIsTooOldIsNamedAtTheStart() {
		RedisTestServer old = RedisTestServer.runAsOld();
		RedissonClient client = Clients.patient(old.url());
		try (old;
				StandardError log = new StandardError();
				RedissonLockProvider provider = new RedissonLockProvider(client)) {
			provider.checkAccess("app");
			Patience.await()
				.untilAsserted(
						() -> assertThat(log.text()).contains("Locks of provider redisson cannot work: the server has")
							.contains("5.0 or later"));
			assertThat(provider.ping().toCompletableFuture()).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(BackendException.class)
				.withMessageContaining("the server has the version " + old.version());
		}
		finally {
			client.shutdown();
		}
	}

	/**
	 * As servers do that refuse scripts. The text of the script is in the message of
	 * Redisson, and must not be taken for an answer.
	 */
	@Test
	void errorTellsTheWordsOfTheServer() {
		try (RedisTestServer server = RedisTestServer.run("--rename-command", "SCRIPT", "", "--rename-command", "EVAL",
				"")) {
			assertThat(refusal(server, (config) -> {
			})).contains("unknown command")
				.contains("SCRIPT")
				.contains("useScriptCache")
				.doesNotContain("redis.call")
				.doesNotContain("at present");
		}
	}

	/**
	 * As services do that read the text of a script.
	 */
	@Test
	void errorNamesTheServiceThatRefusesAScript() {
		BackendException translated = RedissonErrors
			.translate(new RedisException("ERR bad lua script for redis cluster. channel: [id: 1] command: (EVAL)"));
		assertThat(translated).hasMessageContaining("docs/providers/services.md")
			.hasMessageEndingWith("Redis says: ERR bad lua script for redis cluster");
		assertThat(translated.isRetryable()).isFalse();
	}

	/**
	 * Redisson names the command in what it says of a connection, too.
	 */
	@ParameterizedTest
	@ValueSource(strings = {
			"Channel has been closed! Can't write command: CommandData [command=command: (EVALSHA), params: [1a2b], codec=null] to channel: [id: 1]",
			"Redis server response timeout (9 ms) occurred after 0 retry attempts. Command: (EVALSHA), params: [1a2b], channel: [id: 1]" })
	void connectionThatBrokeHasAnsweredNothing(String message) {
		WriteRedisConnectionException failure = new WriteRedisConnectionException(message);
		assertThat(RedissonErrors.isAnswer(failure)).isFalse();
		assertThat(RedissonErrors.mayHaveBeenExecuted(failure)).isTrue();
		assertThat(RedissonErrors.translate(failure)).hasMessageContaining("cannot be reached");
		assertThat(RedissonErrors.translate(failure).isRetryable()).isTrue();
	}

	@Test
	void refusedConnectionNamesAddressAndCause() {
		RedisTestServer server = RedisTestServer.run();
		RedissonClient client = Clients.connect(server.url());
		try (server; RedissonLockProvider provider = new RedissonLockProvider(client)) {
			warmUp(provider, "before", LockType.EXCLUSIVE);
			server.kill();
			// the first failure is a broken connection, the later ones are refused
			// connections
			Patience.await().untilAsserted(() -> {
				CompletionStage<Lease> refused = attempt(provider, "down");
				assertThat(refused.toCompletableFuture()).failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withCauseInstanceOf(BackendException.class)
					.withMessageContaining("cannot be reached")
					.withMessageContaining("Connection refused")
					.withMessageContaining("127.0.0.1:" + server.port())
					.satisfies((ex) -> assertThat(((BackendException) ex.getCause()).isRetryable()).isTrue());
			});
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void errorNamesCredentialsAndDatabase() {
		try (RedisTestServer open = RedisTestServer.run();
				RedisTestServer guarded = RedisTestServer.runWithPassword("right")) {
			assertThat(refusal(open, (config) -> config.setPassword("needless"))).contains("credentials")
				.doesNotContain("needless");
			assertThat(refusal(guarded, (config) -> config.setPassword("wrong"))).contains("credentials")
				.doesNotContain("wrong");
			assertThat(refusal(guarded, (config) -> {
			})).contains("credentials");
			assertThat(refusal(open, (config) -> config.useSingleServer().setDatabase(99))).contains("database");
		}
	}

	/**
	 * Return the error message if the server refuses a client that connects lazily.
	 */
	private static String refusal(RedisTestServer server, Consumer<Config> customizer) {
		Config config = Clients.config(server.url());
		config.setLazyInitialization(true);
		config.useSingleServer().setRetryAttempts(0).setTimeout(3000);
		customizer.accept(config);
		RedissonClient client = Redisson.create(config);
		try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
			Throwable[] failure = new Throwable[1];
			assertThat(attempt(provider, "k").toCompletableFuture()).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(BackendException.class)
				.satisfies((ex) -> failure[0] = ex.getCause());
			assertThat(((BackendException) failure[0]).isRetryable()).isFalse();
			return failure[0].getMessage();
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void lockThatNoReplicaHasConfirmedIsAskedForAgain() {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary)) {
			RedissonClient client = connect(primary, replica, (config) -> {
			});
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(new RedissonLockProvider(client))
				.build()) {
				template.acquire(LockRequest.of("synced").withWaitTime(Patience.LIMIT)).close();
				replica.suspend();
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("alone"))
					.withMessageContaining("replica");
				CompletableFuture<LockHandle> waiting = template
					.acquireAsync(LockRequest.of("again").withWaitTime(Duration.ofSeconds(60)));
				Patience.await().during(Duration.ofSeconds(1)).until(() -> !waiting.isDone());
				replica.resume();
				assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
				Patience.await().until(() -> primary.command("EXISTS", "alone").equals(0L));
			}
			finally {
				replica.resume();
				client.shutdown();
			}
		}
	}

	@Test
	void replicasConfirmALockOfEachLayout() throws Exception {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary)) {
			RedissonClient client = connect(primary, replica, (config) -> {
			});
			try (RedissonServer server = new RedissonServer(client);
					RedissonRunner runner = new RedissonRunner(server)) {
				replica.suspend();
				for (Field layout : LockScripts.class.getFields()) {
					if (layout.getType() == LockScripts.class) {
						assertUnconfirmed(runner, (LockScripts) layout.get(null), layout.getName());
					}
				}
			}
			finally {
				replica.resume();
				client.shutdown();
			}
		}
	}

	private static void assertUnconfirmed(RedissonRunner runner, LockScripts scripts, String key) {
		try (ExclusiveLocks locks = new ExclusiveLocks(runner, scripts, TokenCounters.ofRedisson(false))) {
			assertThat(locks.tryAcquire(new LeaseRequest(key, LONG, LockType.EXCLUSIVE)).toCompletableFuture()).as(key)
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withMessageContaining("replica");
		}
	}

	@Test
	void replicasOfAClusterConfirmALock() {
		try (RedisTestCluster cluster = RedisTestCluster.runWithReplicas()) {
			Config config = Clients.config();
			config.setSlavesSyncTimeout(300);
			config.useClusterServers()
				.addNodeAddress(cluster.servers().get(0).url())
				.setReadMode(ReadMode.MASTER)
				.setSubscriptionMode(SubscriptionMode.MASTER)
				.setMasterConnectionMinimumIdleSize(1);
			RedissonClient client = Redisson.create(config);
			RedisTestServer replica = cluster.replicaOf(cluster.primaryOf("alone"));
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				// since Redis 7 the client knows sharded channels from now on
				warmUp(provider, "alone", LockType.EXCLUSIVE);
				replica.suspend();
				assertThat(attempt(provider, "alone").toCompletableFuture()).failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withMessageContaining("replica");
			}
			finally {
				replica.resume();
				client.shutdown();
			}
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEMAPHORE")
	void refusalNeedsNoReplica(LockType type) {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary)) {
			RedissonClient client = connect(primary, replica, (config) -> {
			});
			LockRequest request = LockRequest.of("by-hand").withType(type).withWaitTime(Duration.ofSeconds(2));
			try (DefaultLockTemplate template = DefaultLockTemplate.builder()
				.provider(new RedissonLockProvider(client))
				.build()) {
				template.acquire(request.withWaitTime(Patience.LIMIT)).close();
				// on a busy machine the replica may be late
				Patience.await("a lock by hand").ignoreExceptions().until(() -> {
					get(client.getLock("by-hand").lockAsync(1));
					return true;
				});
				replica.suspend();
				assertThat(template.tryAcquire(request)).isEmpty();
			}
			finally {
				replica.resume();
				client.shutdown();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withoutWaitNothingIsConfirmedAndThatIsSaidAtTheStart(boolean denied) {
		String[] arguments = denied ? new String[0] : new String[] { "--rename-command", "WAIT", "" };
		try (RedisTestServer primary = RedisTestServer.run(arguments);
				RedisTestServer replica = RedisTestServer.runReplicaOf(primary);
				StandardError log = new StandardError()) {
			for (RedisTestServer each : List.of(primary, replica)) {
				each.command("ACL", "SETUSER", "user", "on", ">secret", "allkeys", "allchannels", "+@all",
						denied ? "-wait" : "+@all");
			}
			RedissonClient client = connect(primary, replica,
					(config) -> config.setUsername("user").setPassword("secret"));
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				provider.checkAccess("app");
				Patience.await().untilAsserted(() -> assertThat(log.text()).contains("Redis refuses WAIT: "));
				assertThat(get(get(attempt(provider, "unconfirmed")).release())).isTrue();
				assertThat(log.text()).containsOnlyOnce("Redis refuses ").doesNotContain("cannot work");
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static RedissonClient connect(RedisTestServer primary, RedisTestServer replica,
			Consumer<Config> customizer) {
		Config config = Clients.config();
		config.setSlavesSyncTimeout(300);
		config.useMasterSlaveServers()
			.setMasterAddress(primary.url())
			.addSlaveAddress(replica.url())
			.setSubscriptionMode(SubscriptionMode.MASTER)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionMinimumIdleSize(1);
		customizer.accept(config);
		return Redisson.create(config);
	}

	@ParameterizedTest
	@EnumSource(LockType.class)
	void attemptsThatWereGivenUpDuringAStallLeaveNoOwner(LockType type) {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedissonClient client = Clients.connect(server.url(),
					(config) -> config.setTimeout(3000).setRetryAttempts(4));
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				warmUp(provider, "before", type);
				server.suspend();
				for (int i = 0; i < 4; i++) {
					long giveUpAt = System.nanoTime() + Duration.ofMillis(200).toNanos();
					assertThat(provider.tryAcquire(new LeaseRequest("stalled", LONG, type, 1, giveUpAt))
						.toCompletableFuture()).failsWithin(Patience.LIMIT)
						.withThrowableThat()
						.withCauseInstanceOf(BackendException.class)
						.satisfies((ex) -> assertThat(((BackendException) ex.getCause()).isRetryable()).isTrue());
				}
				server.resume();
				Lease[] lease = new Lease[1];
				LockType conflicting = (type == LockType.READ) ? LockType.WRITE : type;
				Patience.await().ignoreExceptions().until(() -> {
					lease[0] = get(provider.tryAcquire(new LeaseRequest("stalled", LONG, conflicting)));
					return lease[0] != null;
				});
				assertThat(get(lease[0].release())).isTrue();
			}
			finally {
				server.resume();
				client.shutdown();
			}
		}
	}

	@Test
	void nothingIsSentAfterTheCallerHasGivenUp() {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedissonClient client = Clients.patient(server.url());
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				get(get(attempt(provider, "k")).release());
				server.command("CONFIG", "RESETSTAT");
				LeaseRequest late = new LeaseRequest("k", LONG, LockType.EXCLUSIVE, 1, System.nanoTime());
				assertThat(provider.tryAcquire(late).toCompletableFuture()).failsWithin(Patience.LIMIT);
				get(get(attempt(provider, "another")).release());
				assertThat(server.commandCalls().get("evalsha")).as("those for the other key").isEqualTo(2L);
			}
			finally {
				client.shutdown();
			}
		}
	}

	/**
	 * Acquire a lock and release it. On a busy machine an answer may be late.
	 */
	private static void warmUp(RedissonLockProvider provider, String key, LockType type) {
		LeaseRequest request = new LeaseRequest(key, LONG, type);
		Patience.await(key).ignoreExceptions().until(() -> get(get(provider.tryAcquire(request)).release()));
	}

	private static LockRequest ofType(String name, LockType type) {
		LockRequest request = LockRequest.of(name);
		return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
	}

	private static CompletionStage<Lease> attempt(RedissonLockProvider provider, String key) {
		return provider.tryAcquire(new LeaseRequest(key, LONG, LockType.EXCLUSIVE));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
