package io.distributedlock.zookeeper;

import java.time.Duration;
import java.util.List;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

@DisplayName("zookeeper")
class ZooKeeperLockProviderKitTests extends LockProviderCompatibilityKit {

	private static ZooKeeperTestServer server;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected ProviderSource source() {
		return ProviderSource.onServer(Factory.class, server::restart, server.address())
			.throughProxy(server.port(), (port) -> List.of("127.0.0.1:" + port))
			.withStalls(server::suspend, server::resume)
			.whoseLocksWorkAgainWithin(Duration.ofMillis(2L * Servers.SESSION_MILLIS))
			// with a line for each node of an owner; the node of a key is gone within a
			// minute
			.withEntries(() -> server.ask("dump").lines().toList());
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return ZooKeeperLockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			CuratorFramework client = Servers.connect(arguments.get(0), commandTimeout);
			return new Node(new ZooKeeperLockProvider(client, ZooKeeperLockProvider.DEFAULT_ROOT, commandTimeout),
					client);
		}

	}

}
