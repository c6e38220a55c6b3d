package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
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

@DisplayName("redlock")
class RedlockProviderKitTests extends LockProviderCompatibilityKit {

	private static final List<RedisTestServer> servers = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		for (int i = 0; i < 5; i++) {
			servers.add(RedisTestServer.run());
		}
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(RedisTestServer::close);
		servers.clear();
	}

	@Override
	protected ProviderSource source() {
		return ProviderSource
			.onServer(Factory.class, () -> servers.get(0).restart(),
					servers.stream().map(RedisTestServer::url).toArray(String[]::new))
			.throughProxies(servers.stream().map(RedisTestServer::port).toList(),
					(ports) -> ports.stream().map((port) -> "redis://127.0.0.1:" + port).toList())
			.withStalls(() -> servers.forEach(RedisTestServer::suspend), () -> servers.forEach(RedisTestServer::resume))
			.withEntries(() -> servers.stream().flatMap((server) -> server.entriesWithout("").stream()).toList());
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return RedlockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has clients of its own. They wait for one second, whatever the
	 * command time-out: leases are at least five times as long.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			List<RedisClient> clients = arguments.stream().map(Clients::client).toList();
			return new Node(new RedlockProvider(clients, Duration.ofSeconds(1)),
					() -> clients.forEach(Clients::shutdown));
		}

	}

}
