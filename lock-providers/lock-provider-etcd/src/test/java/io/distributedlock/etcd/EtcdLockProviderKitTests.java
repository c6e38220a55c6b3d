package io.distributedlock.etcd;

import java.time.Duration;
import java.util.List;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.EtcdTestServer;
import io.etcd.jetcd.Client;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

@DisplayName("etcd")
class EtcdLockProviderKitTests extends LockProviderCompatibilityKit {

	private static EtcdTestServer server;

	@BeforeAll
	static void startServer() {
		server = EtcdTestServer.run();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected ProviderSource source() {
		return ProviderSource.onServer(Factory.class, server::restart, server.url());
	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments) {
			Client client = Client.builder().endpoints(arguments.get(0)).build();
			return new Node(new EtcdLockProvider(client, EtcdLockProvider.DEFAULT_PREFIX, Duration.ofSeconds(2)),
					client);
		}

	}

}
