package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.contract.RedisRightsContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The rights in docs/providers/redis.md are enough, and errors name what is missing.
 */
class RedisRightsTests extends RedisRightsContract {

	private static final String DOCUMENTED = "on >secret resetkeys ~shop:lock:* ~{shop:lock:* resetchannels &shop:lock:* -@all "
			+ "+get +set +exists +del +pexpire +pttl +time +lindex +lpop +rpush +lpos +lrem +hget +hset +hgetall +hdel +eval +evalsha +publish +subscribe +unsubscribe +ping +hello +client|setname";

	private static final String FOR_OTHER_TYPES = " +zadd +zrem +zcard +zscore +zrange +zremrangebyscore";

	private static final String FOR_CLUSTERS = " +cluster|nodes +cluster|myid +info";

	private static final String FOR_MESSAGES = "+publish +subscribe +unsubscribe";

	private static final String FOR_SCRIPTS = "+eval +evalsha";

	private static final Duration POLL = Duration.ofMillis(50);

	@Override
	protected String rights() {
		return DOCUMENTED;
	}

	@Override
	protected String rightsForOtherTypes() {
		return FOR_OTHER_TYPES;
	}

	@Override
	protected String rightToCounters() {
		return "~shop:lock:*";
	}

	@Override
	protected LockProvider connect(String user) {
		return connect(user, PASSWORD);
	}

	@Test
	void documentedRightsAreEnoughOnAClusterAndMissingOnesAreNamed() {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			String rights = rights() + FOR_OTHER_TYPES;
			cluster.servers().forEach((node) -> createUser(node, "clustered", rights + FOR_CLUSTERS));
			cluster.servers().forEach((node) -> createUser(node, "single", rights));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> template(cluster, "single")
					.acquire(LockRequest.of("order:6").withWaitTime(Duration.ofSeconds(60))))
				.withMessageContaining("least rights");
			assertAllTypesWork(template(cluster, "clustered"), template(cluster, "clustered"), 6);
		}
	}

	@Test
	void anotherDatabaseNeedsItsRight() {
		createUser(server(), "third", rights() + " +select");
		template(connect("third", PASSWORD, 3), POLL).execute("order:7", () -> {
		});
		createUser(server(), "first", rights());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template(connect("first", PASSWORD, 3), POLL).acquire("order:7"))
			.withMessageContaining("least rights");
	}

	@Test
	void waitingCallsPollWithoutTheRightToMessages() throws Exception {
		createUser(server(), "silent", rights().replace(FOR_MESSAGES, ""));
		LockHandle handle = template("silent", POLL).acquire(LockRequest.of("order:2"));
		CompletableFuture<LockHandle> waiting = template("silent", POLL)
			.acquireAsync(LockRequest.of("order:2").withWaitTime(Duration.ofSeconds(60)));
		Patience.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
		handle.close();
		waiting.get(Patience.SECONDS, TimeUnit.SECONDS).close();
	}

	@Test
	void thereAreNoLocksWithoutTheRightToScripts() {
		createUser(server(), "no-scripts", rights().replace(FOR_SCRIPTS, ""));
		DefaultLockTemplate template = template("no-scripts", POLL);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("order:3"))
			.withMessageContaining("least rights");
		assertThat(server().command("EXISTS", "shop:lock:order:3")).isEqualTo(0L);
	}

	@Test
	void missingRightsAreLoggedAtTheStart() {
		createUser(server(), "start-no-scripts", rights().replace(FOR_SCRIPTS, ""));
		createUser(server(), "start-silent", rights().replace(FOR_MESSAGES, ""));
		createUser(server(), "start-other-password", rights());
		try (StandardError log = new StandardError()) {
			connect("start-no-scripts");
			connect("start-silent");
			connect("start-other-password", "secret-but-wrong");
			Patience.await()
				.untilAsserted(() -> assertThat(log.text()).contains("Locks under 'shop:lock' cannot work")
					.contains("Redis refuses SUBSCRIBE: calls that wait for a lock poll")
					.contains("Redis refuses PUBLISH: ")
					.contains("Locks under 'shop:lock' cannot work: Redis refuses the credentials")
					.doesNotContain("secret"));
		}
	}

	@Test
	void errorNamesWrongCredentialsAndNotThePassword() {
		createUser(server(), "right", rights());
		DefaultLockTemplate template = template(connect("right", "wrong-password"), POLL);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("order:5"))
			.withMessageContaining("credentials")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wrong-password"));
	}

	private LockProvider connect(String user, String password) {
		return connect(user, password, 0);
	}

	private LockProvider connect(String user, String password, int database) {
		RedisClient client = Clients
			.client("redis://%s:%s@127.0.0.1:%s/%s".formatted(user, password, server().port(), database));
		closeLater(() -> Clients.shutdown(client));
		return opened(new RedisLockProvider(client, Patience.LIMIT, "shop:lock"));
	}

	private DefaultLockTemplate template(RedisTestCluster cluster, String user) {
		RedisClusterClient client = RedisClusterClient.create(Clients.resources(),
				"redis://%s:%s@127.0.0.1:%s".formatted(user, PASSWORD, cluster.servers().get(0).port()));
		closeLater(() -> Clients.shutdown(client));
		return template(opened(new RedisLockProvider(client, Patience.LIMIT, "shop:lock")), Duration.ofMillis(200));
	}

	private LockProvider opened(RedisLockProvider provider) {
		closeLater(provider);
		provider.checkAccess("shop:lock");
		return provider;
	}

}
