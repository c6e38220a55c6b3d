package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderFactory;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.RedisTestServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.redisson.api.RedissonClient;

@DisplayName("redisson")
class RedissonLockProviderKitTests extends LockProviderCompatibilityKit {

	/**
	 * Counters of tokens and numbers of free permits stay for a day after their last use;
	 * owners that were removed are refused while an attempt of theirs may still arrive.
	 */
	private static final String BY_DESIGN = "(redisson_lock_token:.*|redisson_unlock_latch:.*|.*:permits|.*:alive) \\d+";

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
			.withEntries(() -> server.entriesWithout(BY_DESIGN));
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return RedissonLockProviderKitTests.this.source();
		}

	}

	/**
	 * Each provider has a client of its own.
	 */
	public static final class Factory implements ProviderFactory {

		@Override
		public Node create(List<String> arguments, Duration commandTimeout) {
			// a command is sent twice, and after two intervals a connection is known to
			// be silent
			int half = (int) commandTimeout.toMillis() / 2;
			RedissonClient client = Clients.connect(arguments.get(0),
					(config) -> config.setTimeout(half).setPingConnectionInterval(half));
			return new Node(new RedissonLockProvider(client), () -> client.shutdown(0, 5, TimeUnit.SECONDS));
		}

	}

}
