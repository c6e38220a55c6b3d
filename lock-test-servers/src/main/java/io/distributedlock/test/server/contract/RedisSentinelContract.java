package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.CallsUnderFault;
import io.distributedlock.test.LocksUnderFault;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestSentinel;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

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

	/**
	 * A promotion can take a lock from its owner, but tokens still rise.
	 */
	@Test
	@EnabledIf("io.distributedlock.test.CallsUnderFault#haveTime")
	final void tokensRiseWhileReplicasArePromotedUnderLoad() throws Exception {
		ProviderFactory.Node second = connect(this.sentinel.port());
		try (LockProvider other = second.provider();
				CallsUnderFault calls = new CallsUnderFault(List.of(this.node.provider(), other),
						Duration.ofSeconds(5))) {
			calls.haveRisingTokens(Duration.ofSeconds(1), Map.of("primary killed", () -> {
				RedisTestServer killed = currentPrimary();
				killed.kill();
				Patience.await("promotion").until(() -> currentPrimary() != killed);
				return () -> {
					killed.start();
					Patience.await("the next replica")
						.until(() -> String.valueOf(currentPrimary().command("INFO", "replication"))
							.contains("state=online"));
				};
			}));
		}
		finally {
			second.client().close();
		}
	}

	private RedisTestServer currentPrimary() {
		return (this.sentinel.currentPrimaryPort() == this.replica.port()) ? this.replica : this.primary;
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
				.allMatch((key) -> mayStay(key) || isOfLateCalls(key)));
	}

	/**
	 * On a busy machine the answer to a call may be late. The call is then refused for
	 * two minutes in case that it arrives, which is more than a test waits.
	 */
	private boolean isOfLateCalls(String key) {
		return key.endsWith(":alive") && !Long.valueOf(-1).equals(this.primary.command("PTTL", key));
	}

}
