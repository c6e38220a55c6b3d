package io.distributedlock.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Writes with a stale token are refused: on PostgreSQL, where a transaction ends at its
 * first error, and on MariaDB and MySQL, where it reads what was there when it began.
 */
class JdbcFencedResourceTests {

	private static PostgresTestServer postgres;

	private static MariaDbTestServer mariaDb;

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	@BeforeAll
	static void start() {
		postgres = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
		mariaDb = MariaDbTestServer.run();
		Databases.createSchema(JdbcDialect.MARIADB, mariaDb.url(), "app", "secret");
	}

	@AfterAll
	static void stop() {
		postgres.close();
		mariaDb.close();
	}

	abstract static class Contract {

		private final String url;

		private final String user;

		private final String password;

		Contract(String url, String user, String password) {
			this.url = url;
			this.user = user;
			this.password = password;
		}

		@BeforeEach
		void createTable() throws SQLException {
			try (Connection connection = connect(); Statement statement = connection.createStatement()) {
				statement.execute("DROP TABLE IF EXISTS account");
				statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT, fence BIGINT)");
				statement.execute("INSERT INTO account VALUES (1, 100, NULL)");
				statement.execute("DELETE FROM distributed_lock_fence");
			}
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
		void sameHolderChecksAgainInALaterTransaction() throws SQLException {
			JdbcFencedResource prices = JdbcFencedResource.named("prices");
			try (Connection connection = transaction()) {
				prices.check(connection, 11);
				connection.commit();
				prices.check(connection, 11);
				connection.commit();
			}
		}

		@Test
		void tokenThatCameAfterTheTransactionBeganIsSeen() throws SQLException {
			JdbcFencedResource prices = JdbcFencedResource.named("prices");
			try (Connection early = transaction(); Connection late = transaction()) {
				Session.on(early).number("SELECT balance FROM account WHERE id = 1");
				prices.check(late, 11);
				late.commit();
				assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> prices.check(early, 10))
					.satisfies((ex) -> assertThat(ex.getHighestToken()).isEqualTo(11));
				early.rollback();
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
				CompletableFuture<Void> stale = next.thenRunAsync(() -> check(stock, early, 1));
				Patience.await().during(Duration.ofMillis(200)).until(() -> !next.isDone());
				early.commit();
				next.get(Patience.SECONDS, TimeUnit.SECONDS);
				late.commit();
				assertThat(stale).failsWithin(Patience.LIMIT)
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
				Patience.await().during(Duration.ofMillis(200)).until(() -> !second.isDone());
				one.commit();
				second.get(Patience.SECONDS, TimeUnit.SECONDS);
				two.commit();
			}
		}

		/**
		 * A transaction of JTA, which spans several resources, has none.
		 */
		@Test
		void firstWriterNeedsNoSavepoint() throws SQLException {
			try (Connection connection = transaction()) {
				Connection global = (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("setSavepoint")) {
								throw new SQLException("this is a branch of a global transaction");
							}
							return method.invoke(connection, arguments);
						});
				JdbcFencedResource.named("global").check(global, 1);
				connection.commit();
			}
		}

		@Test
		void firstWritersOfDifferentResourcesDoNotEndEachOthersTransaction() throws Exception {
			try (Connection one = transaction(); Connection two = transaction()) {
				for (int i = 0; i < 100; i++) {
					JdbcFencedResource first = JdbcFencedResource.named("first" + i);
					JdbcFencedResource second = JdbcFencedResource.named("second" + i);
					CompletableFuture<Void> other = CompletableFuture.runAsync(() -> check(second, two, 1));
					first.check(one, 1);
					one.commit();
					other.get(Patience.SECONDS, TimeUnit.SECONDS);
					two.commit();
				}
			}
		}

		@Test
		void lowerTokenIsRefusedForOneRow() throws SQLException {
			JdbcFencedResource.Rows accounts = JdbcFencedResource.rows("account", "id", "fence");
			try (Connection connection = connect()) {
				assertThat(accounts.update(connection, 1, 5, "balance = ?", 50)).isTrue();
				assertThat(accounts.update(connection, 1, 5, "balance = ?", 50)).as("nothing changes").isTrue();
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
		void tokenOfARowThatCameAfterTheTransactionBeganIsSeen() throws SQLException {
			JdbcFencedResource.Rows accounts = JdbcFencedResource.rows("account", "id", "fence");
			try (Connection early = transaction(); Connection late = connect()) {
				Session.on(early).number("SELECT balance FROM account WHERE id = 1");
				assertThat(accounts.update(late, 1, 11, "balance = ?", 11)).isTrue();
				assertThatExceptionOfType(StaleTokenException.class)
					.isThrownBy(() -> accounts.update(early, 1, 10, "balance = ?", 10))
					.satisfies((ex) -> assertThat(ex.getHighestToken()).isEqualTo(11));
				early.rollback();
			}
		}

		@Test
		void differentNamesAreDifferentResources() throws SQLException {
			List<String> names = List.of("prices", "prices ", " prices", "Prices", "PRICES", "prices\t", "pric\u00e9s",
					"price\u0301s", "pr\u0131ces", "prices\u00a0", "stra\u00dfe", "strasse", "\ud83d\ude00",
					"\ud83d\ude01", "?", "??", "%", "_", "pri_es");
			try (Connection connection = transaction()) {
				long token = names.size();
				for (String name : names) {
					JdbcFencedResource.named(name).check(connection, token--);
				}
				connection.commit();
				assertThat(Session.on(connection).number("SELECT COUNT(*) FROM distributed_lock_fence"))
					.isEqualTo(names.size());
			}
		}

		@Test
		void misuseIsRefused() throws SQLException {
			try (Connection connection = connect()) {
				assertThatIllegalStateException().isThrownBy(() -> JdbcFencedResource.named("x").check(connection, 1))
					.withMessageContaining("transaction");
			}
			assertThatIllegalArgumentException()
				.isThrownBy(() -> JdbcFencedResource.rows("a; drop table b", "id", "t"));
			assertThatIllegalArgumentException().isThrownBy(() -> JdbcFencedResource.named(" "));
			assertThatIllegalArgumentException().as("half of a surrogate pair, which drivers send as a question mark")
				.isThrownBy(() -> JdbcFencedResource.named("price\ud83d"));
			assertThatIllegalArgumentException().isThrownBy(() -> JdbcFencedResource.named("\ude00price"));
			assertThatIllegalArgumentException().isThrownBy(() -> JdbcFencedResource.named("price\0"));
		}

		private static void check(JdbcFencedResource resource, Connection connection, long token) {
			try {
				resource.check(connection, token);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private Connection transaction() throws SQLException {
			Connection connection = connect();
			connection.setAutoCommit(false);
			return connection;
		}

		private Connection connect() throws SQLException {
			return DriverManager.getConnection(this.url, this.user, this.password);
		}

	}

	@Nested
	class OnPostgres extends Contract {

		OnPostgres() {
			super(postgres.url(), "postgres", "");
		}

	}

	@Nested
	class OnMariaDb extends Contract {

		OnMariaDb() {
			super(mariaDb.url(), "app", "secret");
		}

	}

	/**
	 * The driver counts rows that have changed, as MySQL's does with
	 * {@code useAffectedRows}.
	 */
	@Nested
	class OnMariaDbCountingChanges extends Contract {

		OnMariaDbCountingChanges() {
			super(mariaDb.url() + "?useAffectedRows=true", "app", "secret");
		}

	}

	@Nested
	class OnMySql extends Contract {

		OnMySql() {
			super(mySql.get().url(), "app", "secret");
		}

	}

	@Nested
	class OnMySqlCountingChanges extends Contract {

		OnMySqlCountingChanges() {
			super(mySql.get().url("useAffectedRows=true"), "app", "secret");
		}

	}

	@Nested
	class OnH2 extends Contract {

		private static final String URL = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;IGNORECASE=TRUE;LOCK_TIMEOUT=60000"
			.formatted(UUID.randomUUID());

		OnH2() {
			super(URL, "sa", "");
			Databases.createSchema(JdbcDialect.H2, URL, "sa", "");
		}

	}

}
