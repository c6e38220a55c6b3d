package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A primary, its replica, and a sentinel that promotes it.
 */
class RedisSentinelTests {

	@Test
	void locksGoOnAfterAFailoverAndTheirTokensRise() {
		try (RedisTestServer primary = RedisTestServer.run();
				RedisTestServer replica = RedisTestServer.run("--replicaof", "127.0.0.1",
						Integer.toString(primary.port()));
				RedisTestSentinel sentinel = RedisTestSentinel.run(primary)) {
			RedisURI uri = RedisURI.builder()
				.withSentinelMasterId(RedisTestSentinel.MASTER)
				.withSentinel("127.0.0.1", sentinel.port())
				.build();
			RedisClient client = RedisClient.create(Clients.resources(), uri);
			try (RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(1));
					DefaultLockTemplate template = DefaultLockTemplate.builder()
						.provider(provider)
						.renewalLeaseTime(Duration.ofSeconds(2))
						.build()) {
				LockHandle before = template.acquire("k");
				assertThat(primary.command("EXISTS", "k")).isEqualTo(1L);
				primary.kill();
				Awaitility.await("failover")
					.atMost(Duration.ofSeconds(30))
					.until(() -> sentinel.currentPrimaryPort() == replica.port());
				// with its lease over the holder has been told, whatever the replica has
				// seen
				Awaitility.await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
					template.acquire(LockRequest.of("another").withWaitTime(Duration.ofSeconds(5))).close();
					return true;
				});
				long token = before.fencingToken().orElseThrow();
				before.close();
				try (LockHandle after = template.acquire(LockRequest.of("k").withWaitTime(Duration.ofSeconds(10)))) {
					assertThat(after.fencingToken().orElseThrow()).isGreaterThan(token);
					assertThat(replica.command("EXISTS", "k")).isEqualTo(1L);
				}
			}
			finally {
				Clients.shutdown(client);
			}
		}
	}

}
