package io.distributedlock.jdbc;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The kit on H2. Each strategy is a class with a server of its own, so that they run
 * beside each other.
 */
abstract class H2Kit extends LockProviderCompatibilityKit {

	private static H2TestServer server;

	private final JdbcLockStrategy strategy;

	H2Kit(JdbcLockStrategy strategy) {
		this.strategy = strategy;
	}

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

	@Override
	protected final ProviderSource source() {
		return Databases.source(this.strategy, JdbcDialect.H2, server::restart, server.url(), "sa", "")
			.withStalls(server::suspend, server::resume)
			.withSchema(H2Kit::newSchema);
	}

	private static Runnable newSchema() {
		return Databases.creation(JdbcDialect.H2, server.url().replace("/locks", "/nodes" + System.nanoTime()), "sa",
				"");
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return H2Kit.this.source();
		}

	}

}
