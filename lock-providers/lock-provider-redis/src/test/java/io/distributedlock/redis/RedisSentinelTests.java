package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.test.LocksUnderFault;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A primary, its replica, and a sentinel that promotes it.
 */
class RedisSentinelTests {

	private RedisTestServer primary;

	private RedisTestServer replica;

	private RedisTestSentinel sentinel;

	private RedisClient client;

	private RedisLockProvider provider;

	private LocksUnderFault locks;

	@BeforeEach
	void start() {
		this.primary = RedisTestServer.run();
		this.replica = RedisTestServer.runReplicaOf(this.primary);
		this.sentinel = RedisTestSentinel.run(this.primary);
		this.client = RedisClient.create(Clients.resources(),
				RedisURI.builder()
					.withSentinelMasterId(RedisTestSentinel.MASTER)
					.withSentinel("127.0.0.1", this.sentinel.port())
					.build());
		this.provider = new RedisLockProvider(this.client, Duration.ofSeconds(2));
		this.locks = new LocksUnderFault(this.provider);
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.provider.close();
		Clients.shutdown(this.client);
		this.sentinel.close();
		this.replica.close();
		this.primary.close();
	}

	@Test
	void locksGoOnWithRisingTokensAfterThePrimaryWasKilled() {
		this.locks.goOnWithRisingTokens((key) -> this.primary.kill());
		assertThat(this.sentinel.currentPrimaryPort()).isEqualTo(this.replica.port());
	}

	@Test
	void locksAreKeptAndHandedOnWhileScriptsAreForgotten() {
		this.locks.areKeptAndHandedOn((key) -> this.primary.command("SCRIPT", "FLUSH"));
		awaitNothingLeft();
	}

	@Test
	void fullMemoryRefusesLocksAndStillKeepsAndReleasesThem() {
		this.locks.areKeptAndReleasedWhileNoneIsGranted(() -> this.primary.command("CONFIG", "SET", "maxmemory", "1"),
				"out of memory");
		awaitNothingLeft();
	}

	private void awaitNothingLeft() {
		Awaitility.await()
			.untilAsserted(() -> assertThat((List<?>) this.primary.command("KEYS", "*")).map(String::valueOf)
				.allMatch((key) -> key.endsWith(":token")));
	}

}
