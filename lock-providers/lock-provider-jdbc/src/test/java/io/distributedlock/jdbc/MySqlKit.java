package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The kit on MySQL. Each strategy is a class with a server of its own, so that they run
 * beside each other.
 */
abstract class MySqlKit extends LockProviderCompatibilityKit {

	private static MySqlFamilyServer server;

	private final JdbcLockStrategy strategy;

	MySqlKit(JdbcLockStrategy strategy) {
		this.strategy = strategy;
	}

	@BeforeAll
	static void startServer() {
		server = Databases.run(JdbcDialect.MYSQL);
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected final ProviderSource source() {
		return Databases.source(this.strategy, JdbcDialect.MYSQL, server::restart, server.url(), "app", "secret")
			.withStalls(server::suspend, server::resume)
			.withSchema(() -> Databases.creation(JdbcDialect.MYSQL,
					Databases.emptyDatabase(server, "nodes" + System.nanoTime()), "app", "secret"));
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return MySqlKit.this.source();
		}

	}

}
