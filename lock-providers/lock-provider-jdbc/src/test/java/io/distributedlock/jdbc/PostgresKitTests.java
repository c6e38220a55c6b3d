package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

class PostgresKitTests {

	private static PostgresTestServer server;

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

	private static ProviderSource source(JdbcLockStrategy strategy) {
		return Databases.source(strategy, JdbcDialect.POSTGRESQL, server::restart, server.url(), "postgres", "");
	}

	@Nested
	@DisplayName("jdbc row on PostgreSQL")
	class Row extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return PostgresKitTests.source(JdbcLockStrategy.ROW);
		}

	}

	@Nested
	@DisplayName("jdbc version on PostgreSQL")
	class Version extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return PostgresKitTests.source(JdbcLockStrategy.VERSION);
		}

	}

	@Nested
	@DisplayName("jdbc for-update on PostgreSQL")
	class ForUpdate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return PostgresKitTests.source(JdbcLockStrategy.FOR_UPDATE);
		}

	}

}
