package io.distributedlock.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.DockerServer;
import io.distributedlock.test.server.EtcdTestServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

@DisplayName("etcd")
class EtcdLockProviderKitTests extends LockProviderCompatibilityKit {

	private static EtcdTestServer server;

	private static DockerServer container;

	@BeforeAll
	static void startServer() {
		if (EtcdTestServer.isAvailable()) {
			server = EtcdTestServer.run();
		}
		else {
			container = DockerServer.run("debian:12", 2379, Map.of(), "sh", "-c",
					"apt-get update && apt-get install -y --no-install-recommends etcd-server && exec etcd "
							+ "--listen-client-urls http://0.0.0.0:2379 --advertise-client-urls http://0.0.0.0:2379");
		}
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
		if (container != null) {
			container.close();
		}
	}

	@Override
	protected ProviderSource source() {
		return (server != null)
				? ProviderSource.onServer(Factory.class, server::restart, server.url())
					.throughProxy(server.port(), (port) -> List.of("http://127.0.0.1:" + port))
					.withStalls(server::suspend, server::resume)
					.withEntries(EtcdLockProviderKitTests::entries)
				: new ProviderSource(Factory.class, List.of("http://" + container.address()), true, null);
	}

	private static List<String> entries() {
		try (Client client = Client.builder().endpoints(server.url()).build()) {
			return client.getKVClient()
				.get(EtcdCalls.bytes(EtcdLockProvider.DEFAULT_PREFIX), GetOption.builder().isPrefix(true).build())
				.join()
				.getKvs()
				.stream()
				.map((entry) -> entry.getKey().toString(StandardCharsets.UTF_8))
				.toList();
		}
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return EtcdLockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			Client client = EtcdClients.forLocks(Client.builder(), commandTimeout).endpoints(arguments.get(0)).build();
			// on a slow machine the first connection may take longer than a command may
			Patience.await("connection")
				.ignoreExceptions()
				.until(() -> client.getKVClient().get(EtcdCalls.bytes("k")).get(), Objects::nonNull);
			return new Node(new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, commandTimeout), client);
		}

	}

}
