package io.distributedlock.memcached;

import java.time.Duration;
import java.util.List;

import com.spotify.folsom.MemcacheClient;
import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.MemcachedTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

@DisplayName("memcached")
class MemcachedLockProviderKitTests extends LockProviderCompatibilityKit {

	private static MemcachedTestServer server;

	@BeforeAll
	static void startServer() {
		server = MemcachedTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected ProviderSource source() {
		return ProviderSource.onServer(Factory.class, server::restart, Integer.toString(server.port()));
	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments) {
			MemcacheClient<String> client = Clients.connect(Integer.parseInt(arguments.get(0)));
			return new Node(new MemcachedLockProvider(client, Duration.ofSeconds(2)), client::shutdown);
		}

	}

}
