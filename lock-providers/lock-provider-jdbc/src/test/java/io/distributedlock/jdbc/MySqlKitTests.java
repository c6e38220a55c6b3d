package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.test.LockProviderCompatibilityKit;
import io.distributedlock.test.ProviderSource;
import io.distributedlock.test.server.DockerServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * Runs only where there is a Docker engine: MySQL is not available otherwise.
 */
class MySqlKitTests {

	private static DockerServer container;

	@BeforeAll
	static void startServer() {
		Assumptions.assumeTrue(DockerServer.isAvailable(), "no Docker engine for MySQL");
		container = DockerServer.run("mysql:8.4", 3306, Map.of("MYSQL_DATABASE", "locks", "MYSQL_USER", "app",
				"MYSQL_PASSWORD", "secret", "MYSQL_RANDOM_ROOT_PASSWORD", "yes"));
		// the image starts a server for its own set-up first: the port alone proves
		// nothing
		Awaitility.await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> {
			Databases.createSchema(JdbcDialect.MYSQL, url(), "app", "secret");
			return true;
		});
	}

	@AfterAll
	static void stopServer() {
		if (container != null) {
			container.close();
		}
	}

	private static String url() {
		return "jdbc:mysql://" + container.address() + "/locks?allowPublicKeyRetrieval=true";
	}

	private static ProviderSource source(JdbcLockStrategy strategy) {
		return new ProviderSource(Databases.Factory.class,
				List.of(strategy.name(), JdbcDialect.MYSQL.name(), url(), "app", "secret"), true, null);
	}

	@Nested
	@DisplayName("jdbc row on MySQL")
	class Row extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MySqlKitTests.source(JdbcLockStrategy.ROW);
		}

	}

	@Nested
	@DisplayName("jdbc version on MySQL")
	class Version extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MySqlKitTests.source(JdbcLockStrategy.VERSION);
		}

	}

	@Nested
	@DisplayName("jdbc for-update on MySQL")
	class ForUpdate extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MySqlKitTests.source(JdbcLockStrategy.FOR_UPDATE);
		}

	}

	@Nested
	@DisplayName("jdbc advisory on MySQL")
	class Advisory extends LockProviderCompatibilityKit {

		@Override
		protected ProviderSource source() {
			return MySqlKitTests.source(JdbcLockStrategy.ADVISORY);
		}

	}

}
