package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
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

	private static void renewWithout(Consumer<RedisTestServer> stop, Consumer<RedisTestServer> goOn) {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			cluster.servers()
				.forEach((server) -> server.command("CONFIG", "SET", "cluster-require-full-coverage", "no"));
			RedisTestServer victim = cluster.servers().get(2);
			Config config = Clients.config();
			config.useClusterServers()
				.addNodeAddress(cluster.servers().get(0).url())
				.setTimeout(1000)
				.setMasterConnectionMinimumIdleSize(1)
				.setMasterConnectionPoolSize(4);
			RedissonClient client = Redisson.create(config);
			try (RedissonLockProvider provider = new RedissonLockProvider(client)) {
				List<Lease> leases = IntStream.range(0, 30)
					.mapToObj((i) -> get(provider.tryAcquire(new LeaseRequest("k" + i, LONG, LockType.EXCLUSIVE))))
					.toList();
				stop.accept(victim);
				for (int round = 0; round < 2; round++) {
					List<? extends CompletionStage<LeaseTerm>> terms = provider
						.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, LONG)).toList());
					for (int i = 0; i < 30; i++) {
						if (HashSlot.of("k" + i) * 3 / 16384 != 2) {
							assertThat(terms.get(i).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(20))
								.isNotNull();
						}
					}
				}
			}
			finally {
				goOn.accept(victim);
				client.shutdown(0, 5, TimeUnit.SECONDS);
			}
		}
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

}
