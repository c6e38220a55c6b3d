package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.redis.scripts.TokenCounters;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static io.distributedlock.redis.Clients.request;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that are renewed together, while a part of the cluster fails.
 */
class RedisClusterRenewalTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private RedisTestCluster cluster;

	private RedisClusterClient client;

	private RedisLockProvider provider;

	@BeforeEach
	void start() {
		this.cluster = RedisTestCluster.run();
		this.client = RedisClusterClient.create(Clients.resources(),
				RedisURI.create(this.cluster.servers().get(0).url()));
		this.provider = new RedisLockProvider(this.client, Duration.ofSeconds(5));
		Patience.await("connection")
			.ignoreExceptions()
			.until(() -> get(this.provider.tryAcquire(request("warm-up", LEASE))) != null);
	}

	@AfterEach
	void stop() {
		this.provider.close();
		Clients.shutdown(this.client);
		this.cluster.close();
	}

	@Test
	void slotThatIsMovingFailsNoRenewal() {
		int slot = TokenCounters.slot("k");
		List<String> keys = Stream
			.concat(Stream.of("other"),
					IntStream.iterate(0, (i) -> i + 1)
						.mapToObj((i) -> "k" + i)
						.filter((key) -> TokenCounters.slot(key) == slot)
						.limit(2))
			.toList();
		List<Lease> leases = keys.stream().map(this::acquire).toList();
		RedisTestServer from = this.cluster.primaryOf("k");
		RedisTestServer to = this.cluster.servers().stream().filter((each) -> each != from).findFirst().orElseThrow();
		to.command("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", idOf(from));
		from.command("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", idOf(to));
		from.command("MIGRATE", "127.0.0.1", Integer.toString(to.port()), keys.get(1), "0", "30000");
		assertThat(renew(leases).map(Clients::get)).hasSize(3)
			.allSatisfy((term) -> assertThat(term.granted()).isEqualTo(LEASE.multipliedBy(2)));
		assertThat((Long) from.command("PTTL", keys.get(2))).isGreaterThan(LEASE.toMillis());
	}

	@Test
	void nodeThatDoesNotAnswerFailsItsOwnRenewalsOnly() {
		List<RedisTestServer> nodes = this.cluster.servers();
		List<String> keys = nodes.stream()
			.map((node) -> IntStream.iterate(0, (i) -> i + 1)
				.mapToObj((i) -> "k" + i)
				.filter((key) -> this.cluster.primaryOf(key) == node)
				.findFirst()
				.orElseThrow())
			.toList();
		List<Lease> leases = keys.stream().map(this::acquire).toList();
		nodes.get(1).suspend();
		try {
			List<CompletionStage<LeaseTerm>> answers = renew(leases).toList();
			assertThat(get(answers.get(0))).isNotNull();
			assertThat(get(answers.get(2))).isNotNull();
			assertThat(answers.get(1)).failsWithin(LEASE);
		}
		finally {
			nodes.get(1).resume();
		}
	}

	/**
	 * Acquire a lock, on a node to which there may be no connection yet.
	 */
	private Lease acquire(String key) {
		return Patience.await(key)
			.ignoreExceptions()
			.until(() -> get(this.provider.tryAcquire(request(key, LEASE))), Objects::nonNull);
	}

	private Stream<CompletionStage<LeaseTerm>> renew(List<Lease> leases) {
		return this.provider
			.renewAll(leases.stream().map((lease) -> new LeaseRenewal(lease, LEASE.multipliedBy(2))).toList())
			.stream()
			.map((answer) -> answer.thenApply((term) -> term));
	}

	private static String idOf(RedisTestServer server) {
		return String.valueOf(server.command("CLUSTER", "MYID"));
	}

}
