package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The kit on the newest PostgreSQL that is available as an artifact.
 */
class NewestPostgresKitTests {

	private static PostgresTestServer server;

	@BeforeAll
	static void startServer() {
		server = PostgresTestServer.runNewest();
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Nested
	@DisplayName("jdbc row on PostgreSQL 18")
	class Row extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return server.source(JdbcLockStrategy.ROW);
		}

	}

	@Nested
	@DisplayName("jdbc version on PostgreSQL 18")
	class Version extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return server.source(JdbcLockStrategy.VERSION);
		}

	}

	@Nested
	@DisplayName("jdbc for-update on PostgreSQL 18")
	class ForUpdate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return server.source(JdbcLockStrategy.FOR_UPDATE);
		}

	}

	@Nested
	@DisplayName("jdbc advisory on PostgreSQL 18")
	class Advisory extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return server.source(JdbcLockStrategy.ADVISORY);
		}

	}

}
