package io.distributedlock.redis;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The rights of docs/providers/redis.md are enough, and what is missing is said.
 */
class RedisRightsTests {

	private static final String DOCUMENTED = "on >secret resetkeys ~shop:lock:* ~{shop:lock:* resetchannels &shop:lock:* -@all "
			+ "+get +set +del +pexpire +time +eval +evalsha +publish +subscribe +unsubscribe +ping +hello +client|setinfo +client|setname";

	private static final String FOR_OTHER_KINDS = " +zadd +zrem +zcard +zscore +zrange +zrangebyscore +zremrangebyscore +pexpireat";

	private static final String FOR_CLUSTERS = " +cluster|nodes +cluster|myid +info";

	private static RedisTestServer server;

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void start() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void documentedRightsAreEnough() throws Exception {
		DefaultLockTemplate holder = template("locker", DOCUMENTED, Duration.ofMinutes(10));
		DefaultLockTemplate waiter = template("locker", DOCUMENTED, Duration.ofMinutes(10));
		LockHandle handle = holder.acquire(LockRequest.of("order:1"));
		CompletableFuture<LockHandle> waiting = waiter
			.acquireAsync(LockRequest.of("order:1").withWaitTime(Duration.ofSeconds(60)));
		Awaitility.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(60, TimeUnit.SECONDS).close();
	}

	@Test
	void documentedRightsForTheOtherKindsAreEnough() throws Exception {
		String rights = DOCUMENTED + FOR_OTHER_KINDS;
		DefaultLockTemplate first = template("kinds", rights, Duration.ofMillis(50));
		DefaultLockTemplate second = template("kinds", rights, Duration.ofMillis(50));
		for (LockRequest request : List.of(LockRequest.of("fair").withType(LockType.FAIR),
				LockRequest.of("read").withType(LockType.READ), LockRequest.of("permits").withPermits(1))) {
			try (LockHandle handle = first.acquire(request)) {
				handle.extend(Duration.ofSeconds(20));
				assertThat(second.tryAcquire(request.withType(LockType.WRITE))).as(request.key())
					.matches((found) -> found.isEmpty() || request.type() == LockType.SEMAPHORE);
			}
		}
		LockRequest fair = LockRequest.of("fair").withType(LockType.FAIR).withWaitTime(Duration.ofSeconds(60));
		LockHandle handle = first.acquire(fair);
		CompletableFuture<LockHandle> waiting = second.acquireAsync(fair);
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(60, TimeUnit.SECONDS).close();
	}

	@Test
	void documentedRightsAreEnoughOnAClusterAndWhatIsMissingIsSaid() {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			String rights = DOCUMENTED + FOR_OTHER_KINDS;
			cluster.servers().forEach((node) -> createUser(node, "clustered", rights + FOR_CLUSTERS));
			cluster.servers().forEach((node) -> createUser(node, "single", rights));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> template(cluster, "single")
					.acquire(LockRequest.of("order:6").withWaitTime(Duration.ofSeconds(60))))
				.withMessageContaining("least rights");
			DefaultLockTemplate holder = template(cluster, "clustered");
			DefaultLockTemplate waiter = template(cluster, "clustered");
			for (LockType type : LockType.values()) {
				for (int i = 0; i < 6; i++) {
					LockRequest request = kind(LockRequest.of(type.name() + i), type)
						.withWaitTime(Duration.ofSeconds(60));
					LockHandle handle = holder.acquire(request);
					CompletableFuture<LockHandle> waiting = waiter
						.acquireAsync((type == LockType.READ) ? request.withType(LockType.WRITE) : request);
					handle.extend(Duration.ofSeconds(20));
					handle.close();
					assertThat(waiting).succeedsWithin(Duration.ofSeconds(60)).satisfies(LockHandle::close);
				}
			}
		}
	}

	@Test
	void withoutMessagesWaitingCallsAsk() throws Exception {
		String silent = DOCUMENTED.replace("+publish +subscribe +unsubscribe", "");
		DefaultLockTemplate holder = template("silent", silent, Duration.ofMillis(50));
		DefaultLockTemplate waiter = template("silent", silent, Duration.ofMillis(50));
		LockHandle handle = holder.acquire(LockRequest.of("order:2"));
		CompletableFuture<LockHandle> waiting = waiter
			.acquireAsync(LockRequest.of("order:2").withWaitTime(Duration.ofSeconds(60)));
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(60, TimeUnit.SECONDS).close();
	}

	@Test
	void withoutScriptsThereAreNoLocks() {
		DefaultLockTemplate template = template("no-scripts", DOCUMENTED.replace("+eval +evalsha", ""),
				Duration.ofMillis(50));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("order:3"))
			.withMessageContaining("least rights");
		assertThat(server.command("EXISTS", "shop:lock:order:3")).isEqualTo(0L);
	}

	@Test
	void whatIsMissingIsSaidAtTheStart() {
		PrintStream before = System.err;
		ByteArrayOutputStream log = new ByteArrayOutputStream();
		System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
		try {
			template("start-no-scripts", DOCUMENTED.replace("+eval +evalsha", ""), Duration.ofMillis(50));
			template("start-silent", DOCUMENTED.replace("+publish +subscribe +unsubscribe", ""), Duration.ofMillis(50));
			createUser("start-other-password", DOCUMENTED);
			connect("start-other-password", "secret-but-wrong", Duration.ofMillis(50));
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.toString(StandardCharsets.UTF_8))
					.contains("Locks under 'shop:lock' cannot work")
					.contains("may not subscribe to channels under 'shop:lock'")
					.contains("Locks under 'shop:lock' cannot work: Redis refuses the credentials")
					.doesNotContain("secret"));
		}
		finally {
			System.setErr(before);
		}
	}

	@Test
	void withoutTheCounterThereIsNoLock() {
		DefaultLockTemplate template = template("no-counter", DOCUMENTED.replace("~{shop:lock:*", ""),
				Duration.ofMillis(50));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("order:4"))
			.withMessageContaining("least rights");
		assertThat(server.command("EXISTS", "shop:lock:order:4")).isEqualTo(0L);
	}

	@Test
	void wrongPasswordIsSaidWithoutIt() {
		createUser("right", DOCUMENTED);
		DefaultLockTemplate template = connect("right", "wrong-password", Duration.ofMillis(50));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("order:5"))
			.withMessageContaining("credentials")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wrong-password"));
	}

	private DefaultLockTemplate template(String user, String rights, Duration pollInterval) {
		// setinfo came with Redis 7.2
		createUser(user, rights.replace(" +client|setinfo", ""));
		return connect(user, "secret", pollInterval);
	}

	private DefaultLockTemplate template(RedisTestCluster cluster, String user) {
		RedisClusterClient client = RedisClusterClient.create(Clients.resources(),
				"redis://%s:secret@127.0.0.1:%d".formatted(user, cluster.servers().get(0).port()));
		this.opened.add(() -> Clients.shutdown(client));
		return template(new RedisLockProvider(client, Duration.ofSeconds(3)), Duration.ofMillis(200));
	}

	private static LockRequest kind(LockRequest request, LockType type) {
		return (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
	}

	private static void createUser(String user, String rights) {
		createUser(server, user, rights);
	}

	private static void createUser(RedisTestServer on, String user, String rights) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset"));
		Arrays.stream(rights.replace(" +client|setinfo", "").split(" ", -1))
			.filter((right) -> !right.isEmpty())
			.forEach(command::add);
		assertThat(on.command(command.toArray(String[]::new))).isEqualTo("OK");
	}

	private DefaultLockTemplate connect(String user, String password, Duration pollInterval) {
		RedisClient client = Clients.client("redis://%s:%s@127.0.0.1:%d".formatted(user, password, server.port()));
		this.opened.add(() -> Clients.shutdown(client));
		return template(new RedisLockProvider(client, Duration.ofSeconds(2)), pollInterval);
	}

	private DefaultLockTemplate template(RedisLockProvider provider, Duration pollInterval) {
		this.opened.add(provider);
		provider.checkAccess("shop:lock");
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.keyPrefix("shop:lock")
			.pollInterval(pollInterval)
			.build();
		this.opened.add(template);
		return template;
	}

}
