package io.distributedlock.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.spotify.folsom.MemcacheClient;
import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.DockerServer;
import io.distributedlock.test.server.MemcachedTestServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

@DisplayName("memcached")
class MemcachedLockProviderKitTests extends LockProviderCompatibilityKit {

	private static MemcachedTestServer server;

	private static DockerServer container;

	@BeforeAll
	static void startServer() {
		if (MemcachedTestServer.isAvailable()) {
			server = MemcachedTestServer.run();
		}
		else {
			container = DockerServer.run("memcached:1.6", 11211, Map.of());
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
				? ProviderSource.onServer(Factory.class, server::restart, "127.0.0.1", Integer.toString(server.port()))
					.throughProxy(server.port(), (port) -> List.of("127.0.0.1", Integer.toString(port)))
					.withStalls(server::suspend, server::resume)
					.whoseLocksWorkAgainWithin(Duration.ofSeconds(3))
				: new ProviderSource(Factory.class, List.of(container.address().split(":", 2)), true, null);
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return MemcachedLockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			MemcacheClient<String> client = Clients.connect(arguments.get(0), Integer.parseInt(arguments.get(1)),
					commandTimeout);
			return new Node(new MemcachedLockProvider(client, commandTimeout), client::shutdown);
		}

	}

}
