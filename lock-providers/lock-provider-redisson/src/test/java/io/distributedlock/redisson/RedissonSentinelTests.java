package io.distributedlock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A primary that dies, and a replica that takes over.
 */
class RedissonSentinelTests {

	@Test
	void waiterOutlastsAFailoverAndTokensRise() {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.run("--replicaof", "127.0.0.1",
						Integer.toString(primary.port()));
				RedisTestSentinel sentinel = RedisTestSentinel.run(primary)) {
			Awaitility.await("copy")
				.atMost(Duration.ofSeconds(30))
				.until(() -> String.valueOf(primary.command("INFO", "replication")).contains("state=online"));
			RedissonClient client = connect(sentinel);
			try (DefaultLockTemplate holder = template(client); DefaultLockTemplate waiter = template(client)) {
				LockHandle before = holder.acquire("k");
				assertThat(replica.command("EXISTS", "k")).as("a replica has it").isEqualTo(1L);
				CompletableFuture<LockHandle> waiting = waiter
					.acquireAsync(LockRequest.of("k").withWaitTime(Duration.ofMinutes(2)));
				primary.kill();
				Awaitility.await("failover")
					.atMost(Duration.ofSeconds(60))
					.until(() -> sentinel.currentPrimaryPort() == replica.port());
				before.close();
				assertThat(waiting).succeedsWithin(Duration.ofMinutes(2)).satisfies((after) -> {
					assertThat(after.fencingToken().orElseThrow()).isGreaterThan(before.fencingToken().orElseThrow());
					after.close();
				});
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static RedissonClient connect(RedisTestSentinel sentinel) {
		Config config = new Config();
		config.setThreads(4);
		config.setNettyThreads(4);
		config.useSentinelServers()
			.addSentinelAddress("redis://127.0.0.1:" + sentinel.port())
			.setMasterName(RedisTestSentinel.MASTER)
			.setCheckSentinelsList(false)
			.setScanInterval(500)
			.setTimeout(1000)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionMinimumIdleSize(1);
		return Redisson.create(config);
	}

	private static DefaultLockTemplate template(RedissonClient client) {
		return DefaultLockTemplate.builder()
			.provider(new RedissonLockProvider(client))
			.renewalLeaseTime(Duration.ofSeconds(5))
			.build();
	}

}
