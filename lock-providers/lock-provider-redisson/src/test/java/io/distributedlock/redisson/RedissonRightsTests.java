package io.distributedlock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The rights of docs/providers/redisson.md are enough, and what is missing is said.
 */
class RedissonRightsTests {

	private static final String DOCUMENTED = "on >secret resetkeys ~shop:lock:* ~redisson_lock_token:{shop:lock:* "
			+ "~redisson_unlock_latch:{shop:lock:* resetchannels &redisson_lock__channel:{shop:lock:* -@all +exists +hexists "
			+ "+hset +pexpire +pttl +incr +get +set +del +time +eval +evalsha +publish +subscribe +unsubscribe "
			+ "+ping +client|setname";

	private static final String OTHER_KINDS = " ~redisson_lock_queue:{shop:lock:* ~redisson_lock_timeout:{shop:lock:* ~{shop:lock:* "
			+ "&redisson_rwlock:{shop:lock:* &redisson_sc:{shop:lock:* "
			+ "+hget +hdel +hkeys +lindex +lpop +lrange +lrem +rpush +zadd +zcard +zcount +zrange +zrem +zremrangebyscore +zscore "
			+ "+incrby +decrby";

	private static final String ON_CLUSTERS = " +cluster|nodes +cluster|slots +cluster|info +cluster|myid +info +readonly +command "
			+ "+wait +pubsub|shardnumsub +pubsub|numpat";

	private static final String SINCE_REDIS_7 = " +spublish +ssubscribe +sunsubscribe";

	private static RedisTestServer server;

	@BeforeAll
	static void start() {
		server = RedisTestServer.run();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void documentedRightsAreEnough() throws Exception {
		createUser(server, "locker", DOCUMENTED);
		RedissonClient client = connect("locker", "secret");
		try (DefaultLockTemplate holder = template(client); DefaultLockTemplate waiter = template(client)) {
			LockRequest request = LockRequest.of("order:1").withWaitTime(Duration.ofSeconds(60));
			LockHandle handle = holder.acquire(request);
			CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
			handle.extend(Duration.ofSeconds(40));
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
			handle.close();
			waiting.get(60, TimeUnit.SECONDS).close();
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void documentedRightsForTheOtherKindsAreEnough() throws Exception {
		createUser(server, "kinds", DOCUMENTED + OTHER_KINDS);
		RedissonClient client = connect("kinds", "secret");
		try (DefaultLockTemplate holder = template(client); DefaultLockTemplate waiter = template(client)) {
			for (LockRequest request : List.of(LockRequest.of("fair").withType(LockType.FAIR),
					LockRequest.of("read").withType(LockType.READ), LockRequest.of("write").withType(LockType.WRITE),
					LockRequest.of("permits").withPermits(1))) {
				try (LockHandle handle = holder.acquire(request)) {
					assertThat(waiter
						.tryAcquire((request.type() == LockType.READ) ? request.withType(LockType.WRITE) : request))
						.as(request.key())
						.isEmpty();
					handle.extend(Duration.ofSeconds(40));
				}
			}
			LockRequest fair = LockRequest.of("queue").withType(LockType.FAIR).withWaitTime(Duration.ofSeconds(60));
			LockHandle handle = holder.acquire(fair);
			CompletableFuture<LockHandle> waiting = waiter.acquireAsync(fair);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
			handle.close();
			waiting.get(60, TimeUnit.SECONDS).close();
			assertThat(denied(server, "kinds")).as("what Redis denied").isEmpty();
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void documentedRightsAreEnoughOnAClusterOfPrimariesAndAReplica() throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.run();
				RedisTestServer replica = RedisTestServer.run("--cluster-enabled", "yes")) {
			RedisTestServer primary = cluster.servers().get(0);
			replica.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(primary.port()));
			Awaitility.await("replica")
				.ignoreExceptions()
				.until(() -> "OK".equals(
						replica.command("CLUSTER", "REPLICATE", String.valueOf(primary.command("CLUSTER", "MYID")))));
			Awaitility.await("copy")
				.until(() -> String.valueOf(primary.command("INFO", "replication")).contains("state=online"));
			List<RedisTestServer> servers = Stream.concat(cluster.servers().stream(), Stream.of(replica)).toList();
			boolean sharded = ((List<?>) primary.command("COMMAND", "INFO", "ssubscribe")).get(0) != null;
			String rights = DOCUMENTED + OTHER_KINDS + ON_CLUSTERS + (sharded ? SINCE_REDIS_7 : "");
			servers.forEach((each) -> createUser(each, "clustered", rights));
			Config config = new Config();
			config.setThreads(4);
			config.setNettyThreads(4);
			config.setUsername("clustered");
			config.setPassword("secret");
			config.useClusterServers()
				.addNodeAddress(primary.url())
				.setMasterConnectionMinimumIdleSize(1)
				.setSlaveConnectionMinimumIdleSize(1);
			RedissonClient client = Redisson.create(config);
			try (DefaultLockTemplate holder = template(client); DefaultLockTemplate waiter = template(client)) {
				for (int i = 0; i < 6; i++) {
					for (LockType type : LockType.values()) {
						LockRequest request = LockRequest.of(type + ":" + i).withWaitTime(Duration.ofSeconds(60));
						request = (type == LockType.SEMAPHORE) ? request.withPermits(1) : request.withType(type);
						LockHandle handle = holder.acquire(request);
						CompletableFuture<LockHandle> waiting = waiter
							.acquireAsync((type == LockType.READ) ? request.withType(LockType.WRITE) : request);
						handle.extend(Duration.ofSeconds(40));
						handle.close();
						waiting.get(60, TimeUnit.SECONDS).close();
					}
				}
				assertThat(servers).allSatisfy((each) -> assertThat(denied(each, "clustered")).isEmpty());
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void missingRightIsSaid() {
		createUser(server, "no-counter", DOCUMENTED.replace("~redisson_lock_token:{shop:lock:*", ""));
		RedissonClient client = connect("no-counter", "secret");
		try (DefaultLockTemplate template = template(client)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("order:2"))
				.withMessageContaining("denies");
			assertThat(server.command("EXISTS", "shop:lock:order:2")).isEqualTo(0L);
		}
		finally {
			client.shutdown();
		}
	}

	/**
	 * Return what the server has denied a user, but for the script that Redisson tries at
	 * its start.
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

	private static void createUser(RedisTestServer server, String user, String rights) {
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", user, "reset"));
		Arrays.stream(rights.split(" ", -1)).filter((right) -> !right.isEmpty()).forEach(command::add);
		assertThat(server.command(command.toArray(String[]::new))).isEqualTo("OK");
	}

	private static RedissonClient connect(String user, String password) {
		Config config = new Config();
		config.setThreads(2);
		config.setNettyThreads(2);
		config.setUsername(user);
		config.setPassword(password);
		config.useSingleServer()
			.setAddress(server.url())
			.setConnectionMinimumIdleSize(1)
			.setConnectionPoolSize(4)
			.setRetryAttempts(1);
		return Redisson.create(config);
	}

	private static DefaultLockTemplate template(RedissonClient client) {
		// the release wakes the waiter, or nothing does
		return DefaultLockTemplate.builder()
			.provider(new RedissonLockProvider(client))
			.keyPrefix("shop:lock")
			.pollInterval(Duration.ofMinutes(10))
			.build();
	}

}
