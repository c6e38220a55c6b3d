package io.distributedlock.application;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.example.shop.ShopApplication;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A database that becomes read-only, as the former primary does in a failover, keeps the
 * connections of its clients.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIf("io.distributedlock.test.server.MariaDbTestServer#isAvailable")
class ReadOnlyDatabaseTests {

	@Test
	void poolOfLocksEndsTheConnectionsToADatabaseThatHasBecomeReadOnly() throws SQLException {
		try (MariaDbTestServer server = MariaDbTestServer.run();
				Connection connection = DriverManager.getConnection(server.url(), "app", "secret");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE USER locker IDENTIFIED BY 'secret'");
			statement.execute("GRANT ALL ON locks.* TO locker");
			try (ConfigurableApplicationContext context = start(server)) {
				LockTemplate locks = context.getBean(LockTemplate.class);
				locks.execute("order", () -> {
				});
				List<Long> before = connections(statement);
				assertThat(before).isNotEmpty();
				statement.execute("SET GLOBAL read_only = 1");
				Patience.await().untilAsserted(() -> {
					assertThatExceptionOfType(LockUnavailableException.class)
						.isThrownBy(() -> locks.tryAcquire("order"))
						.withMessageContaining("read-only");
					assertThat(connections(statement)).doesNotContainAnyElementsOf(before);
				});
			}
		}
	}

	private static ConfigurableApplicationContext start(MariaDbTestServer server) {
		return new SpringApplicationBuilder(ShopApplication.class).run("--spring.cache.type=simple",
				"--lock.jdbc.url=" + server.url(), "--lock.jdbc.username=locker", "--lock.jdbc.password=secret",
				"--lock.jdbc.initialize-schema=always", "--lock.command-timeout=20s");
	}

	private static List<Long> connections(Statement statement) throws SQLException {
		List<Long> ids = new ArrayList<>();
		try (ResultSet found = statement
			.executeQuery("SELECT id FROM information_schema.processlist WHERE user = 'locker'")) {
			while (found.next()) {
				ids.add(found.getLong(1));
			}
		}
		return ids;
	}

}
