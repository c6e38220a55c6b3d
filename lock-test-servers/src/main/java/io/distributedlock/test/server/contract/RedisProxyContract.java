package io.distributedlock.test.server.contract;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.process.StandardError;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestProxy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a provider behind a service that looks like a single server and leads to a
 * cluster. Redisson's client sends whole scripts, as its page says.
 *
 * @since 0.1
 */
public abstract class RedisProxyContract {

	private static RedisTestCluster cluster;

	private static RedisTestProxy proxy;

	/**
	 * For the sub-class that names the client.
	 */
	protected RedisProxyContract() {
	}

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.run();
		proxy = RedisTestProxy.before(cluster);
	}

	@AfterAll
	static void stop() throws Exception {
		proxy.close();
		cluster.close();
	}

	/**
	 * Create a provider, and check the server as at the start of an application.
	 * @param url the address of the service
	 * @return the provider, which the test closes
	 */
	protected abstract LockProvider provider(String url);

	/**
	 * Return the address of the service.
	 * @return the address
	 */
	protected static String url() {
		return proxy.url();
	}

	/**
	 * Return the scripts that the service has refused so far.
	 * @return the scripts, each with what is wrong
	 */
	protected static Set<String> refused() {
		return proxy.refused();
	}

	@Test
	final void locksPassFromOneClientToAnother() {
		try (LockProvider first = provider(proxy.url());
				LockProvider second = provider(proxy.url());
				DefaultLockTemplate holder = template(first, Duration.ofMinutes(10));
				DefaultLockTemplate waiter = template(second, Duration.ofMinutes(10))) {
			assertThat(first.ping()).succeedsWithin(Patience.LIMIT);
			for (LockType type : LockType.values()) {
				for (int i = 0; i < 6; i++) {
					HandOver.between(holder, waiter, HandOver.request(type + ":" + i, type));
				}
			}
		}
	}

	@Test
	final void ownersAreListedAndReleased() {
		try (LockProvider provider = provider(proxy.url());
				DefaultLockTemplate holder = template(provider, Duration.ofMillis(200));
				DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200))) {
			for (LockType type : LockType.values()) {
				HandOver.forced(holder, waiter, provider, HandOver.request("forced:" + type, type));
			}
		}
	}

	@Test
	final void whatTheServiceLacksCostsSpeedAndIsSaidOnceAtTheStart() throws Exception {
		List<String> lacking = List.of("EVALSHA", "SCRIPT", "PUBLISH", "SUBSCRIBE");
		try (StandardError log = new StandardError();
				RedisTestProxy poor = RedisTestProxy.before(cluster, lacking.toArray(String[]::new));
				LockProvider provider = provider(poor.url())) {
			Patience.await()
				.untilAsserted(() -> assertThat(refusals(log)).satisfiesExactlyInAnyOrder(
						(line) -> assertThat(line).contains("refuses EVALSHA", "its whole script"),
						(line) -> assertThat(line).contains("refuses PUBLISH", "poll"),
						(line) -> assertThat(line).contains("refuses SUBSCRIBE", "poll")));
			assertLocksPass(provider, "poor:");
			assertThat(refusals(log)).hasSize(3);
		}
	}

	/**
	 * As with a message that a service sends to the listeners of one node alone.
	 */
	@Test
	final void locksPassAlthoughNobodyHearsOfThemAndThatIsSaidAtTheStart() throws Exception {
		try (StandardError log = new StandardError();
				RedisTestProxy silent = RedisTestProxy.before(cluster, "HEARERS");
				LockProvider provider = provider(silent.url())) {
			assertLocksPass(provider, "unheard:");
			Patience.await()
				.untilAsserted(
						() -> assertThat(refusals(log)).singleElement().asString().contains("refuses PUBLISH", "poll"));
		}
	}

	private static void assertLocksPass(LockProvider provider, String name) {
		try (DefaultLockTemplate holder = template(provider, Duration.ofMillis(200));
				DefaultLockTemplate waiter = template(provider, Duration.ofMillis(200))) {
			for (LockType type : LockType.values()) {
				HandOver.between(holder, waiter, HandOver.request(name + type, type));
			}
		}
	}

	private static List<String> refusals(StandardError log) {
		return log.text().lines().filter((line) -> line.matches(".* refuses [A-Z]+: .*")).toList();
	}

	@Test
	final void leasesOfSeveralSlotsAreRenewed() {
		Duration leaseTime = Duration.ofSeconds(12);
		try (LockProvider provider = provider(proxy.url());
				DefaultLockTemplate template = DefaultLockTemplate.builder()
					.provider(provider)
					.commandTimeout(Patience.LIMIT)
					.renewalLeaseTime(leaseTime)
					.build()) {
			List<LockHandle> handles = IntStream.range(0, 20)
				.mapToObj((i) -> template.acquire(LockRequest.of("kept:" + i).withWaitTime(Patience.LIMIT)))
				.toList();
			long firstLeasesEnd = System.nanoTime() + leaseTime.toNanos();
			Patience.await()
				.untilAsserted(() -> assertThat(handles)
					.allSatisfy((handle) -> assertThat(System.nanoTime() + handle.remaining().toNanos())
						.isGreaterThan(firstLeasesEnd)));
			handles.forEach(LockHandle::close);
		}
	}

	private static DefaultLockTemplate template(LockProvider provider, Duration pollInterval) {
		return DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.pollInterval(pollInterval)
			.build();
	}

}
