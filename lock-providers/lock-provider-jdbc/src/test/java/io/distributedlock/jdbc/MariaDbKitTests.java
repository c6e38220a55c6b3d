package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

class MariaDbKitTests {

	private static MariaDbTestServer server;

	@BeforeAll
	static void startServer() {
		server = MariaDbTestServer.run();
		Databases.createSchema(JdbcDialect.MARIADB, server.url(), "app", "secret");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	private static ProviderSource source(JdbcLockStrategy strategy) {
		return Databases.source(strategy, JdbcDialect.MARIADB, server::restart, server.url(), "app", "secret");
	}

	@Nested
	@DisplayName("jdbc row on MariaDB")
	class Row extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MariaDbKitTests.source(JdbcLockStrategy.ROW);
		}

	}

	@Nested
	@DisplayName("jdbc version on MariaDB")
	class Version extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MariaDbKitTests.source(JdbcLockStrategy.VERSION);
		}

	}

	@Nested
	@DisplayName("jdbc for-update on MariaDB")
	class ForUpdate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MariaDbKitTests.source(JdbcLockStrategy.FOR_UPDATE);
		}

	}

}
