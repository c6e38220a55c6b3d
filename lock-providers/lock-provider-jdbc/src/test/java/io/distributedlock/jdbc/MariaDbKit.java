package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.DockerServer;
import io.distributedlock.test.server.MariaDbTestServer;
import io.distributedlock.test.server.contract.ShedLockContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The kit on MariaDB. Each strategy is a class with a server of its own, so that they run
 * beside each other.
 */
abstract class MariaDbKit extends LockProviderCompatibilityKit {

	private static MariaDbTestServer server;

	private static DockerServer container;

	private final JdbcLockStrategy strategy;

	MariaDbKit(JdbcLockStrategy strategy) {
		this.strategy = strategy;
	}

	@BeforeAll
	static void startServer() {
		if (MariaDbTestServer.isAvailable()) {
			server = MariaDbTestServer.run();
		}
		else {
			container = DockerServer.run("mariadb:11.4", 3306, Map.of("MARIADB_DATABASE", "locks", "MARIADB_USER",
					"app", "MARIADB_PASSWORD", "secret", "MARIADB_RANDOM_ROOT_PASSWORD", "yes"));
		}
		// the image starts a server for its own set-up first: the port alone proves
		// nothing
		Patience.await().ignoreExceptions().until(() -> {
			Databases.createSchema(JdbcDialect.MARIADB, url(), "app", "secret");
			return true;
		});
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
		if (container != null) {
			container.close();
		}
	}

	private static String url() {
		return (server != null) ? server.url() : "jdbc:mariadb://" + container.address() + "/locks";
	}

	@Override
	protected final ProviderSource source() {
		if (server != null) {
			return Databases.source(this.strategy, JdbcDialect.MARIADB, server::restart, url(), "app", "secret")
				.withStalls(server::suspend, server::resume)
				.withSchema(MariaDbKit::newSchema);
		}
		return new ProviderSource(Databases.Factory.class,
				List.of(this.strategy.name(), JdbcDialect.MARIADB.name(), url(), "app", "secret"), true, null);
	}

	private static Runnable newSchema() {
		String name = "nodes" + System.nanoTime();
		try (Connection connection = DriverManager.getConnection(url() + "?socketTimeout=30000", "app", "secret");
				Statement statement = connection.createStatement()) {
			statement.execute("create database " + name);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return Databases.creation(JdbcDialect.MARIADB, url().replaceFirst("locks$", name), "app", "secret");
	}

	@Nested
	class ShedLock extends ShedLockContract {

		@Override
		protected ProviderSource source() {
			return MariaDbKit.this.source();
		}

	}

}
