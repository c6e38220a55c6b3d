package io.distributedlock.redisson;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.distributedlock.LockType;
import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases on the other nodes of a cluster are renewed, together with those of a node that
 * does not answer.
 */
class RedissonDeadNodeTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	@Test
	void leasesOfOtherNodesAreRenewedWhileOneNodeIsSilent() {
		renewWithout(RedisTestServer::suspend, RedisTestServer::resume);
	}

	@Test
	void leasesOfOtherNodesAreRenewedWhileOneNodeIsDown() {
		renewWithout(RedisTestServer::kill, RedisTestServer::start);
	}

	@Test
	void leasesOfOtherSlotsAreRenewedWhileNoNodeHasASlot() {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			RedissonClient client = connect(cluster);
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				List<Lease> leases = acquire(provider);
				String orphan = Integer.toString(TokenCounters.slot("k0"));
				// until the client has looked for the nodes again
				Patience.await().until(() -> {
					cluster.servers().forEach((server) -> takeAway(server, orphan));
					return failure(renew(provider, leases.subList(0, 1)).get(0)).contains("RedisNodeNotFoundException");
				});
				List<? extends CompletionStage<LeaseTerm>> terms = renew(provider, leases);
				IntStream.range(1, 30)
					.forEach((i) -> assertThat(terms.get(i).toCompletableFuture()).succeedsWithin(Patience.LIMIT)
						.isNotNull());
			}
			finally {
				client.shutdown(0, 5, TimeUnit.SECONDS);
			}
		}
	}

	private static void takeAway(RedisTestServer server, String slot) {
		try {
			server.command("CLUSTER", "DELSLOTS", slot);
		}
		catch (UncheckedIOException ex) {
			// it knows of no owner, until another node tells of one that had it meanwhile
		}
	}

	private static String failure(CompletionStage<LeaseTerm> answer) {
		return answer
			.handle((term, failure) -> (failure != null) ? String.valueOf(Failures.unwrap(failure).getCause()) : "")
			.toCompletableFuture()
			.join();
	}

	private static void renewWithout(Consumer<RedisTestServer> stop, Consumer<RedisTestServer> goOn) {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			RedisTestServer victim = cluster.servers().get(2);
			RedissonClient client = connect(cluster);
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				List<Lease> leases = acquire(provider);
				stop.accept(victim);
				for (int round = 0; round < 2; round++) {
					List<? extends CompletionStage<LeaseTerm>> terms = renew(provider, leases);
					IntStream.range(0, 30)
						.filter((i) -> TokenCounters.slot("k" + i) * 3 / 16384 != 2)
						.forEach((i) -> assertThat(terms.get(i).toCompletableFuture()).succeedsWithin(Patience.LIMIT)
							.isNotNull());
				}
			}
			finally {
				goOn.accept(victim);
				client.shutdown(0, 5, TimeUnit.SECONDS);
			}
		}
	}

	private static RedissonClient connect(RedisTestCluster cluster) {
		cluster.servers().forEach((server) -> server.command("CONFIG", "SET", "cluster-require-full-coverage", "no"));
		Config config = Clients.config();
		config.useClusterServers()
			.addNodeAddress(cluster.servers().get(0).url())
			.setTimeout(1000)
			.setScanInterval(1000)
			.setMasterConnectionMinimumIdleSize(1)
			.setMasterConnectionPoolSize(4);
		return Redisson.create(config);
	}

	private static List<Lease> acquire(RedissonLockProvider provider) {
		return IntStream.range(0, 30).mapToObj((i) -> acquire(provider, "k" + i)).toList();
	}

	private static Lease acquire(RedissonLockProvider provider, String key) {
		LeaseRequest request = new LeaseRequest(key, LONG, LockType.EXCLUSIVE);
		// on a busy machine an answer may be late
		return Patience.await().ignoreExceptions().until(() -> get(provider.tryAcquire(request)), Objects::nonNull);
	}

	private static List<? extends CompletionStage<LeaseTerm>> renew(RedissonLockProvider provider, List<Lease> leases) {
		return provider.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, LONG)).toList());
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
	}

}
