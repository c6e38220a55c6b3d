package io.distributedlock.redis;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spi.Lease;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.RedisTestCluster;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.SocketAddressResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.distributedlock.redis.Clients.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The errors of connections that cannot be opened, and connections that are reopened.
 */
class RedisConnectionTests {

	private static final Duration NEVER = Duration.ofMinutes(10);

	private final List<AbstractRedisClient> clients = new ArrayList<>();

	@AfterEach
	void stop() {
		this.clients.forEach(Clients::shutdown);
	}

	@Test
	void errorNamesADatabaseThatDoesNotExist() {
		try (RedisTestServer server = RedisTestServer.run()) {
			assertFails(client(server.url() + "/99"), "database");
		}
	}

	/**
	 * As servers do that refuse scripts.
	 */
	@Test
	void errorTellsTheWordsOfTheServer() {
		try (RedisTestServer server = RedisTestServer.run("--rename-command", "EVALSHA", "", "--rename-command", "EVAL",
				"")) {
			assertFails(client(server.url()), "unknown command");
		}
	}

	@Test
	void errorNamesWrongOrUnexpectedCredentials() {
		try (RedisTestServer server = RedisTestServer.runWithPassword("s3cret");
				RedisTestServer open = RedisTestServer.run()) {
			for (String credentials : List.of(":wr0ng@", "nobody:wr0ng@", "")) {
				assertFails(client("redis://%s127.0.0.1:%s".formatted(credentials, server.port())), "credentials");
			}
			assertFails(client("redis://nobody:wr0ng@127.0.0.1:%s".formatted(open.port())), "credentials");
		}
	}

	@Test
	void errorNamesTlsIfTheServerHasNone() {
		try (RedisTestServer server = RedisTestServer.run()) {
			assertFails(client("rediss://127.0.0.1:" + server.port()), "TLS");
		}
	}

	@Test
	void errorNamesTheAddressIfThereIsNoServer() {
		RedisTestServer server = RedisTestServer.run();
		server.close();
		assertFails(client("redis://nobody:wr0ng@127.0.0.1:" + server.port()), "127.0.0.1:" + server.port() + ")");
	}

	/**
	 * After a long outage a client waits for up to half a minute before it connects.
	 */
	@Test
	void callConnectsBeforeTheClientDoes() {
		ClientResources resources = Clients.resources().mutate().reconnectDelay(Delay.constant(NEVER)).build();
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = client(resources, server.url());
			try (RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(2))) {
				get(get(provider.tryAcquire(Clients.request("k", NEVER))).release());
				server.kill();
				server.start();
				Patience.await("a lock")
					.ignoreExceptions()
					.until(() -> get(get(provider.tryAcquire(Clients.request("k", NEVER))).release()));
			}
		}
	}

	/**
	 * As with a service that gives the name of its primary to a replica.
	 */
	@Test
	void connectionToAPrimaryThatBecameAReplicaIsReplaced() {
		AtomicReference<RedisTestServer> named = new AtomicReference<>();
		ClientResources resources = Clients.resources().mutate().socketAddressResolver(new SocketAddressResolver() {
			@Override
			public SocketAddress resolve(RedisURI name) {
				return new InetSocketAddress(name.getHost(), named.get().port());
			}
		}).build();
		try (RedisTestServer first = RedisTestServer.run();
				RedisTestServer second = RedisTestServer.runReplicaOf(first)) {
			named.set(first);
			RedisClient client = client(resources, first.url());
			try (RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(2))) {
				Lease lease = get(provider.tryAcquire(Clients.request("k", NEVER)));
				Patience.await("copy").until(() -> second.command("EXISTS", "k").equals(1L));
				second.command("REPLICAOF", "NO", "ONE");
				first.command("REPLICAOF", "127.0.0.1", Integer.toString(second.port()));
				named.set(second);
				Patience.await("renewal").ignoreExceptions().until(() -> get(lease.renew(NEVER)) != null);
				assertThat(get(lease.release())).isTrue();
			}
		}
	}

	@Test
	void clientWithoutReconnectIsConnectedAgain() throws Exception {
		try (RedisTestServer server = RedisTestServer.run()) {
			RedisClient client = client(server.url());
			client.setOptions(ClientOptions.builder().autoReconnect(false).build());
			assertComesBack(new RedisLockProvider(client, Duration.ofSeconds(2)), List.of(server));
		}
	}

	@Test
	void clusterClientWithoutReconnectIsConnectedAgain() throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.run()) {
			RedisClusterClient client = RedisClusterClient.create(Clients.resources(),
					RedisURI.create(cluster.servers().get(0).url()));
			this.clients.add(client);
			client.setOptions(ClusterClientOptions.builder().autoReconnect(false).build());
			assertComesBack(new RedisLockProvider(client, Duration.ofSeconds(2)), cluster.servers());
		}
	}

	private void assertComesBack(RedisLockProvider provider, List<RedisTestServer> servers) throws Exception {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build();
				DefaultLockTemplate other = DefaultLockTemplate.builder()
					.provider(provider)
					.pollInterval(Duration.ofSeconds(2))
					.build()) {
			for (int round = 0; round < 3; round++) {
				LockRequest request = LockRequest.of("k" + round).withWaitTime(Duration.ofSeconds(60));
				LockHandle handle = template.acquire(request);
				CompletableFuture<LockHandle> waiting = other
					.acquireAsync(request.withLeaseTime(Duration.ofSeconds(30)));
				Patience.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
				handle.close();
				waiting.get(Patience.SECONDS, TimeUnit.SECONDS).close();
				servers.forEach((server) -> server.command("CLIENT", "KILL", "TYPE", "normal"));
				servers.forEach((server) -> server.command("CLIENT", "KILL", "TYPE", "pubsub"));
			}
		}
		finally {
			provider.close();
		}
	}

	/**
	 * Ask until the error names the reason: on a slow machine the first attempts may time
	 * out before.
	 */
	private void assertFails(RedisClient client, String reason) {
		RedisLockProvider provider = new RedisLockProvider(client, Duration.ofSeconds(3));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build()) {
			Patience.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("k"))
					.withMessageContaining(reason)
					.withMessageNotContainingAny("wr0ng"));
		}
		finally {
			provider.close();
		}
	}

	private RedisClient client(String url) {
		return client(Clients.resources(), url);
	}

	private RedisClient client(ClientResources resources, String url) {
		RedisClient client = Clients.client(resources, url);
		this.clients.add(client);
		return client;
	}

}
