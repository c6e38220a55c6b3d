package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The kit on PostgreSQL. Each strategy is a class with a server of its own, so that they
 * run beside each other.
 */
abstract class PostgresKit extends LockProviderCompatibilityKit {

	private static PostgresTestServer server;

	private final JdbcLockStrategy strategy;

	PostgresKit(JdbcLockStrategy strategy) {
		this.strategy = strategy;
	}

	@BeforeAll
	static void startServer() {
		server = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected final ProviderSource source() {
		return server.source(this.strategy);
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return PostgresKit.this.source();
		}

	}

}
