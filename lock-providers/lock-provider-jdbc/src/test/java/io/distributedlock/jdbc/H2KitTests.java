package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

class H2KitTests {

	private static H2TestServer server;

	@BeforeAll
	static void startServer() {
		server = H2TestServer.run();
		Databases.createSchema(JdbcDialect.H2, server.url(), "sa", "");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	static ProviderSource source(JdbcLockStrategy strategy) {
		return Databases.source(strategy, JdbcDialect.H2, server::restart, server.url(), "sa", "")
			.withStalls(server::suspend, server::resume)
			.withSchema(H2KitTests::newSchema);
	}

	private static Runnable newSchema() {
		return Databases.creation(JdbcDialect.H2, server.url().replace("/locks", "/nodes" + System.nanoTime()), "sa",
				"");
	}

	@Nested
	@DisplayName("jdbc row on H2")
	class Row extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return H2KitTests.source(JdbcLockStrategy.ROW);
		}

	}

	@Nested
	@DisplayName("jdbc for-update on H2")
	class ForUpdate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return H2KitTests.source(JdbcLockStrategy.FOR_UPDATE);
		}

	}

}
