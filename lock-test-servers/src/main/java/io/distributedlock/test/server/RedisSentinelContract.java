package io.distributedlock.test.server;

import java.util.List;

import io.distributedlock.test.LocksUnderFault;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a provider on a Redis primary with a replica, which a sentinel promotes,
 * whatever the client.
 *
 * @since 0.1
 */
public abstract class RedisSentinelContract {

	private RedisTestServer primary;

	private RedisTestServer replica;

	private RedisTestSentinel sentinel;

	private ProviderFactory.Node node;

	private LocksUnderFault locks;

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisSentinelContract() {
	}

	/**
	 * Create a provider, with a client of its own, of the primary that the sentinel
	 * {@link RedisTestSentinel#MASTER} names.
	 * @param sentinelPort the port of the sentinel on the loopback interface
	 * @return the provider and its client
	 */
	protected abstract ProviderFactory.Node connect(int sentinelPort);

	/**
	 * Return whether a key may stay on the server after the last lease.
	 * @param key the key in Redis
	 * @return whether it is one that expires later, such as a counter of tokens
	 */
	protected abstract boolean mayStay(String key);

	@BeforeEach
	final void startServers() {
		this.primary = RedisTestServer.run();
		this.replica = RedisTestServer.runReplicaOf(this.primary);
		this.sentinel = RedisTestSentinel.run(this.primary);
		this.node = connect(this.sentinel.port());
		this.locks = new LocksUnderFault(this.node.provider());
	}

	@AfterEach
	final void stopServers() throws Exception {
		this.locks.close();
		this.node.provider().close();
		this.node.client().close();
		this.sentinel.close();
		this.replica.close();
		this.primary.close();
	}

	@Test
	final void tokensRiseAfterThePrimaryWasKilled() {
		this.locks.goOnWithRisingTokens((key) -> this.primary.kill());
		assertThat(this.sentinel.currentPrimaryPort()).isEqualTo(this.replica.port());
	}

	@Test
	final void locksAreKeptAndHandedOnWhileScriptsAreForgotten() {
		this.locks.areKeptAndHandedOn((key) -> this.primary.command("SCRIPT", "FLUSH"));
		awaitNothingLeft();
	}

	@Test
	final void fullMemoryRefusesLocksAndStillKeepsAndReleasesThem() {
		this.locks.areKeptAndReleasedWhileNoneIsGranted(() -> this.primary.command("CONFIG", "SET", "maxmemory", "1"),
				"out of memory");
		awaitNothingLeft();
	}

	private void awaitNothingLeft() {
		Patience.await()
			.untilAsserted(() -> assertThat((List<?>) this.primary.command("KEYS", "*")).map(String::valueOf)
				.allMatch(this::mayStay));
	}

}
