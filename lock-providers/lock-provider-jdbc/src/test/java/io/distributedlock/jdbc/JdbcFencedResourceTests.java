package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.StaleTokenException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Writes with a stale token are refused, on PostgreSQL, which ends a transaction at its
 * first error.
 */
class JdbcFencedResourceTests {

	private static PostgresTestServer server;

	@BeforeAll
	static void start() throws SQLException {
		server = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT, fence BIGINT)");
			statement.execute("INSERT INTO account VALUES (1, 100, NULL)");
		}
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void lowerTokenIsRefusedForTheWholeResource() throws SQLException {
		JdbcFencedResource prices = JdbcFencedResource.named("prices");
		try (Connection connection = transaction()) {
			prices.check(connection, 5);
			prices.check(connection, 5);
			connection.commit();
			prices.check(connection, 7);
			connection.commit();
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.check(connection, 6))
				.withMessageContainingAll("prices", "6", "7");
			connection.rollback();
			JdbcFencedResource.named("others").check(connection, 1);
			connection.rollback();
			JdbcFencedResource.named("others").check(connection, 1);
			connection.commit();
		}
	}

	@Test
	void laterHolderWaitsForTheTransactionOfAnEarlierOne() throws Exception {
		JdbcFencedResource stock = JdbcFencedResource.named("stock");
		try (Connection early = transaction(); Connection late = transaction()) {
			stock.check(early, 1);
			early.commit();
			stock.check(early, 1);
			CompletableFuture<Void> next = CompletableFuture.runAsync(() -> check(stock, late, 2));
			CompletableFuture<Void> stale = next.thenRun(() -> check(stock, early, 1));
			org.awaitility.Awaitility.await().during(java.time.Duration.ofMillis(200)).until(() -> !next.isDone());
			early.commit();
			next.get(10, TimeUnit.SECONDS);
			late.commit();
			assertThat(stale).failsWithin(java.time.Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(StaleTokenException.class);
		}
	}

	@Test
	void firstTwoWritersDoNotEndEachOthersTransaction() throws Exception {
		JdbcFencedResource fresh = JdbcFencedResource.named("fresh");
		try (Connection one = transaction(); Connection two = transaction()) {
			fresh.check(one, 1);
			CompletableFuture<Void> second = CompletableFuture.runAsync(() -> check(fresh, two, 2));
			org.awaitility.Awaitility.await().during(java.time.Duration.ofMillis(200)).until(() -> !second.isDone());
			one.commit();
			second.get(10, TimeUnit.SECONDS);
			two.commit();
		}
	}

	@Test
	void lowerTokenIsRefusedForOneRow() throws SQLException {
		JdbcFencedResource.Rows accounts = JdbcFencedResource.rows("account", "id", "fence");
		try (Connection connection = connect()) {
			assertThat(accounts.update(connection, 1, 5, "balance = ?", 50)).isTrue();
			assertThat(accounts.update(connection, 1, 8, "balance = balance - ?", 10)).isTrue();
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> accounts.update(connection, 1, 7, "balance = ?", 999))
				.satisfies((ex) -> {
					assertThat(ex.getToken()).isEqualTo(7);
					assertThat(ex.getHighestToken()).isEqualTo(8);
				});
			assertThat(accounts.update(connection, 2, 9, "balance = ?", 1)).isFalse();
			assertThat(Session.on(connection).number("SELECT balance FROM account WHERE id = 1")).isEqualTo(40);
		}
	}

	@Test
	void misuseIsRefused() throws SQLException {
		try (Connection connection = connect()) {
			assertThatIllegalStateException().isThrownBy(() -> JdbcFencedResource.named("x").check(connection, 1))
				.withMessageContaining("transaction");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> JdbcFencedResource.rows("a; drop table b", "id", "t"));
		assertThatIllegalArgumentException().isThrownBy(() -> JdbcFencedResource.named(" "));
	}

	private static void check(JdbcFencedResource resource, Connection connection, long token) {
		try {
			resource.check(connection, token);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Connection transaction() throws SQLException {
		Connection connection = connect();
		connection.setAutoCommit(false);
		return connection;
	}

	private static Connection connect() throws SQLException {
		return DriverManager.getConnection(server.url(), "postgres", "");
	}

}
