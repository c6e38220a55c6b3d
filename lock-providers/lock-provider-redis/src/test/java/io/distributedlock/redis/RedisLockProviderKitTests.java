package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

@DisplayName("redis")
class RedisLockProviderKitTests extends LockProviderCompatibilityKit {

	private static RedisTestServer server;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.runDurable();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Override
	protected ProviderSource source() {
		return ProviderSource.onServer(Factory.class, server::restart, server.url())
			.throughProxy(server.port(), (port) -> List.of("redis://127.0.0.1:" + port))
			.withStalls(server::suspend, server::resume)
			// the hash beside the line stays for ten minutes if others have waited
			.withEntries(() -> server.entriesWithout(".*:alive \\d+"));
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return RedisLockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			RedisClient client = Clients.client(arguments.get(0));
			return new Node(new RedisLockProvider(client, commandTimeout), () -> Clients.shutdown(client));
		}

	}

}
