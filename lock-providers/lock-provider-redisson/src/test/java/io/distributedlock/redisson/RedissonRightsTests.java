package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.contract.RedisRightsContract;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rights in docs/providers/redisson.md are enough, and errors name what is missing.
 */
class RedissonRightsTests extends RedisRightsContract {

	/**
	 * Without these, waiters by hand for other locks are not told.
	 */
	private static final String TO_WAKE_OTHERS = "&redisson_rwlock:{shop:lock:* ";

	private static final String DOCUMENTED = "on >secret resetkeys ~shop:lock:* ~redisson_lock_token:{shop:lock:* "
			+ "~{shop:lock:* ~redisson_lock_queue:{shop:lock:* ~redisson_lock_timeout:{shop:lock:* "
			+ "resetchannels &redisson_lock__channel:{shop:lock:* " + "&redisson_lock_line:* " + TO_WAKE_OTHERS
			+ "-@all +exists +hexists +hlen +hkeys +hget +incrby +lindex +lpop +lpos +lrem +rpush +pubsub|numsub +zadd +zrange +zrem "
			+ "+hset +hgetall +hdel +pexpire +pttl +incr +get +set +del +time +eval +evalsha +script|load +publish +subscribe +unsubscribe "
			+ "+ping +client|setname";

	private static final String FOR_OTHER_TYPES = " ~redisson_unlock_latch:{shop:lock:* &redisson_sc:{shop:lock:* +zcard +zcount +zremrangebyscore +zscore +decrby";

	private static final String FOR_CLUSTERS = " +cluster|nodes +cluster|slots +cluster|info +cluster|myid +info +readonly +command "
			+ "+wait +pubsub|shardnumsub +pubsub|numpat";

	private static final String SINCE_REDIS_7 = " +spublish +ssubscribe +sunsubscribe";

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
		return "~redisson_lock_token:{shop:lock:*";
	}

	@Override
	protected LockProvider connect(String user) {
		Config config = config(user);
		config.useSingleServer()
			.setAddress(server().url())
			.setConnectionMinimumIdleSize(1)
			.setConnectionPoolSize(4)
			.setRetryAttempts(1);
		return connect(config);
	}

	@Test
	void waitersForOtherLocksNeedNotBeTold() {
		createUser(server(), "alone", DOCUMENTED.replace(TO_WAKE_OTHERS, ""));
		try (StandardError log = new StandardError()) {
			template("alone", NEVER_POLL).execute("order:5", () -> {
			});
			assertThat(server().command("EXISTS", "shop:lock:order:5")).isEqualTo(0L);
			assertThat(log.text()).doesNotContain("refuses PUBLISH");
		}
	}

	@Test
	void lineMayWaitInTheQueueOfFairLocksByHand() {
		createUser(server(), "queued", DOCUMENTED);
		server().command("HSET", "shop:lock:order:6", "client:1", "1");
		server().command("RPUSH", "redisson_lock_queue:{shop:lock:order:6}", "client:2");
		LockQueue.Place place = ((LockQueue) connect("queued"))
			.enqueue(new LeaseRequest("shop:lock:order:6", Duration.ofMinutes(1), LockType.EXCLUSIVE));
		awaitQueue(2L);
		place.leave();
		awaitQueue(1L);
		assertNothingDenied(server(), "queued");
	}

	private void awaitQueue(long length) {
		Patience.await("a queue of " + length)
			.until(() -> server().command("LLEN", "redisson_lock_queue:{shop:lock:order:6}").equals(length));
	}

	@Test
	void documentedRightsAreEnoughOnAClusterOfPrimariesAndAReplica() throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.run();
				RedisTestServer replica = RedisTestServer.run("--cluster-enabled", "yes")) {
			RedisTestServer primary = cluster.servers().get(0);
			replica.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(primary.port()));
			Patience.await("replica")
				.ignoreExceptions()
				.until(() -> "OK".equals(
						replica.command("CLUSTER", "REPLICATE", String.valueOf(primary.command("CLUSTER", "MYID")))));
			Patience.await("copy")
				.until(() -> String.valueOf(primary.command("INFO", "replication")).contains("state=online"));
			List<RedisTestServer> servers = Stream.concat(cluster.servers().stream(), Stream.of(replica)).toList();
			boolean sharded = ((List<?>) primary.command("COMMAND", "INFO", "ssubscribe")).get(0) != null;
			String rights = DOCUMENTED + FOR_OTHER_TYPES + FOR_CLUSTERS + (sharded ? SINCE_REDIS_7 : "");
			servers.forEach((each) -> createUser(each, "clustered", rights));
			Config config = config("clustered");
			config.useClusterServers()
				.addNodeAddress(primary.url())
				.setMasterConnectionMinimumIdleSize(1)
				.setSlaveConnectionMinimumIdleSize(1);
			LockProvider provider = connect(config);
			assertAllTypesWork(template(provider, NEVER_POLL), template(provider, NEVER_POLL), 6);
			servers.forEach((each) -> assertNothingDenied(each, "clustered"));
		}
	}

	@Override
	protected void assertNothingDenied(RedisTestServer on, String user) {
		assertThat(denied(on, user)).as("what Redis denied").isEmpty();
	}

	/**
	 * Return what the server has denied a user, except for the key with which Redisson
	 * tries a script when it starts.
	 */
	private static List<String> denied(RedisTestServer server, String user) {
		List<String> denied = new ArrayList<>();
		for (Object entry : (List<?>) server.command("ACL", "LOG")) {
			List<?> fields = (List<?>) entry;
			String object = String.valueOf(fields.get(fields.indexOf("object") + 1));
			if (user.equals(fields.get(fields.indexOf("username") + 1)) && !object.equals("test1")) {
				denied.add(object);
			}
		}
		return denied;
	}

	private static Config config(String user) {
		Config config = Clients.config();
		config.setUsername(user);
		config.setPassword(PASSWORD);
		return config;
	}

	private LockProvider connect(Config config) {
		RedissonClient client = Redisson.create(config);
		closeLater(client::shutdown);
		RedissonLockProvider provider = new RedissonLockProvider(client);
		closeLater(provider);
		provider.checkAccess("shop:lock");
		return provider;
	}

}
