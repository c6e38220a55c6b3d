package io.distributedlock.redisson;

import java.util.List;

import io.distributedlock.test.LocksUnderFault;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A primary, its replica, and a sentinel that promotes it.
 */
class RedissonSentinelTests {

	private RedisTestServer primary;

	private RedisTestServer replica;

	private RedisTestSentinel sentinel;

	private RedissonClient client;

	private RedissonLockProvider provider;

	private LocksUnderFault locks;

	@BeforeEach
	void start() {
		this.primary = RedisTestServer.run();
		this.replica = RedisTestServer.runReplicaOf(this.primary);
		this.sentinel = RedisTestSentinel.run(this.primary);
		Config config = new Config();
		config.setThreads(4);
		config.setNettyThreads(4);
		config.useSentinelServers()
			.addSentinelAddress("redis://127.0.0.1:" + this.sentinel.port())
			.setMasterName(RedisTestSentinel.MASTER)
			.setCheckSentinelsList(false)
			.setScanInterval(500)
			.setTimeout(1000)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionMinimumIdleSize(1);
		this.client = Redisson.create(config);
		this.provider = new RedissonLockProvider(this.client);
		this.locks = new LocksUnderFault(this.provider);
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.provider.close();
		this.client.shutdown();
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

	/**
	 * What stays for a while are counters of tokens and numbers of permits.
	 */
	private void awaitNothingLeft() {
		Awaitility.await()
			.untilAsserted(() -> assertThat((List<?>) this.primary.command("KEYS", "*")).map(String::valueOf)
				.allMatch((key) -> key.startsWith("redisson_lock_token:") || key.endsWith(":permits")));
	}

}
