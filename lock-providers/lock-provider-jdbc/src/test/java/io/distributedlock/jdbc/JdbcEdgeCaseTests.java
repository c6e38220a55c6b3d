package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.jdbc.internal.table.TableLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Transactions of the caller, pools that are too small, rows that others delete, rights,
 * and statements for MySQL.
 */
class JdbcEdgeCaseTests {

	private static final LeaseRequest REQUEST = new LeaseRequest("k", Duration.ofSeconds(60), LockType.EXCLUSIVE);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private String url;

	private HikariDataSource pool;

	@BeforeAll
	static void unpack() {
		MySqlTestServer.unpack();
	}

	@BeforeEach
	void start() {
		this.url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
		this.pool = open(Databases.pool(this.url, "sa", "", 5));
		JdbcLockSchema.create(this.pool, JdbcDialect.H2);
	}

	@AfterEach
	void stop() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void transactionOfTheCallerIsNotTouched(JdbcLockStrategy strategy) throws SQLException {
		DefaultLockTemplate template = template(strategy, this.pool);
		DefaultLockTemplate other = template(strategy, this.pool);
		try (Connection connection = this.pool.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE orders (id INT)");
			connection.setAutoCommit(false);
			statement.execute("INSERT INTO orders VALUES (1)");
			LockHandle handle = template.acquire("k");
			connection.rollback();
			assertThat(other.tryAcquire("k")).as("after the caller's rollback").isEmpty();
			handle.close();
			assertThat(statement.executeQuery("SELECT 1 FROM orders").next()).isFalse();
			other.acquire("k").close();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void poolOfOneInATransactionTimesOut(JdbcLockStrategy strategy) throws SQLException {
		HikariDataSource narrow = open(Databases.pool(this.url, "sa", "", 1));
		LockProvider provider = open(
				JdbcLocks.provider(narrow, settings(strategy).withCommandTimeout(Duration.ofSeconds(2))));
		DefaultLockTemplate template = open(DefaultLockTemplate.builder().provider(provider).build());
		try (Connection connection = narrow.getConnection()) {
			connection.setAutoCommit(false);
			// on a busy machine the answer of the provider may be late now and then
			Patience.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.acquire(LockRequest.of("k").withWaitTime(Duration.ZERO)))
					.withMessageContaining("pool"));
			connection.rollback();
		}
		// nothing is left of it, and a lock that is granted too late is released
		template.acquire(LockRequest.of("k").withWaitTime(Patience.LIMIT)).close();
	}

	/**
	 * With H2 the time-out of a statement is one of the whole connection.
	 */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void connectionHasItsOwnTimeOutAgain(JdbcLockStrategy strategy) throws SQLException {
		HikariDataSource narrow = open(Databases.pool(this.url, "sa", "", 1));
		template(strategy, narrow).acquire("k").close();
		try (Connection connection = narrow.getConnection(); Statement statement = connection.createStatement()) {
			assertThat(statement.getQueryTimeout()).isZero();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void failureForAMissingTableNamesTheSchema(JdbcLockStrategy strategy) {
		HikariDataSource empty = open(Databases.pool("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "", 2));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template(strategy, empty).acquire("k"))
			.withMessageContainingAll("schema-h2.sql", "initialize-schema")
			.withCauseInstanceOf(BackendException.class)
			.satisfies((ex) -> assertThat(((BackendException) ex.getCause()).isRetryable()).isFalse());
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void rowDeletedByHandIsInsertedAgainWithAHigherToken(JdbcLockStrategy strategy) throws SQLException {
		LockProvider provider = provider(strategy, this.pool);
		Lease first = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
		get(first.release());
		execute("DELETE FROM distributed_lock");
		execute("DELETE FROM distributed_lock_row");
		Lease second = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
		assertThat(second.fencingToken().orElseThrow()).isGreaterThan(first.fencingToken().orElseThrow());
		get(second.release());
	}

	@Test
	void lockWhoseRowIsDeletedIsLost() throws SQLException {
		DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider(JdbcLockStrategy.ROW, this.pool))
			.renewalLeaseTime(Duration.ofSeconds(1))
			.build();
		open(template);
		try (LockHandle handle = template.acquire("k")) {
			execute("DELETE FROM distributed_lock");
			Patience.await().until(() -> !handle.isValid());
		}
	}

	@Test
	void unusedRowsAreDeletedAndTheirTokensAreNotUsedAgain() throws SQLException {
		TableLockProvider provider = open(new TableLockProvider(
				Databases.calls(this.pool, settings(JdbcLockStrategy.ROW)), false, Duration.ZERO, null));
		Lease used = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
		Lease held = Objects.requireNonNull(
				get(provider.tryAcquire(new LeaseRequest("held", Duration.ofSeconds(60), LockType.EXCLUSIVE))));
		get(used.release());
		Patience.await().until(() -> get(provider.sweepNow()) == 1);
		assertThat(get(held.renew(Duration.ofSeconds(60)))).isNotNull();
		Lease again = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
		assertThat(again.fencingToken().orElseThrow()).isGreaterThan(used.fencingToken().orElseThrow());
		// a token that has run ahead of the clock keeps its row
		get(again.release());
		execute("UPDATE distributed_lock SET token = token * 2 WHERE lock_key = 'k'");
		Patience.await().during(Duration.ofMillis(200)).until(() -> get(provider.sweepNow()) == 0);
	}

	@Test
	void moreRowLocksThanConnectionsAreRefusedAndLeaveNoConnectionBehind() {
		LockProvider provider = open(
				JdbcLocks.provider(this.pool, settings(JdbcLockStrategy.FOR_UPDATE).withMaxLockConnections(2)));
		DefaultLockTemplate template = open(DefaultLockTemplate.builder().provider(provider).build());
		LockHandle first = template.acquire("1");
		LockHandle second = template.acquire("2");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("3"))
			.withMessageContaining("max-lock-connections");
		first.close();
		template.acquire("3").close();
		second.close();
		Patience.await().until(() -> ((SessionLockProvider) provider).freeConnections() == 2);
		Patience.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	@Test
	void rowLockWhoseConnectionDiedIsLost() {
		try (PostgresTestServer server = PostgresTestServer.run()) {
			HikariDataSource own = open(Databases.pool(server.url(), "postgres", "", 5));
			JdbcLockSchema.create(own, JdbcDialect.POSTGRESQL);
			LockProvider provider = open(JdbcLocks.provider(own,
					Databases.settings(JdbcDialect.POSTGRESQL).withStrategy(JdbcLockStrategy.FOR_UPDATE)));
			DefaultLockTemplate template = open(
					DefaultLockTemplate.builder().provider(provider).renewalLeaseTime(Duration.ofSeconds(1)).build());
			LockHandle handle = template.acquire("k");
			long token = handle.fencingToken().orElseThrow();
			try (Connection connection = own.getConnection(); Statement statement = connection.createStatement()) {
				statement.execute(
						"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			Patience.await().until(() -> !handle.isValid());
			handle.close();
			try (LockHandle next = template.acquire("k")) {
				assertThat(next.fencingToken().orElseThrow()).isGreaterThan(token);
			}
		}
	}

	@Test
	void documentedRightsAreEnoughOnPostgres() {
		try (PostgresTestServer server = PostgresTestServer.run()) {
			HikariDataSource admin = open(Databases.pool(server.url(), "postgres", "", 2));
			JdbcLockSchema.create(admin, JdbcDialect.POSTGRESQL);
			execute(admin, "CREATE USER locker PASSWORD 'secret'",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock TO locker",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock_member TO locker",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock_row TO locker",
					"GRANT USAGE ON SEQUENCE distributed_lock_token TO locker",
					"CREATE USER stranger PASSWORD 'secret'");
			rightsAreEnough(JdbcDialect.POSTGRESQL, server.url());
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void documentedRightsAreEnough(JdbcDialect dialect) {
		try (MySqlFamilyServer server = Databases.run(dialect)) {
			HikariDataSource admin = open(Databases.pool(server.url(), "app", "secret", 2));
			execute(admin, "CREATE USER locker IDENTIFIED BY 'secret'", "CREATE USER stranger IDENTIFIED BY 'secret'",
					"CREATE TABLE other (id INT)", "GRANT SELECT ON locks.other TO stranger",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON locks.distributed_lock TO locker",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON locks.distributed_lock_member TO locker",
					"GRANT SELECT, INSERT, UPDATE, DELETE ON locks.distributed_lock_row TO locker",
					"GRANT SELECT, INSERT ON locks.distributed_lock_token TO locker");
			rightsAreEnough(dialect, server.url());
			failureDoesNotShowAWrongPassword(dialect, server.url());
		}
	}

	/**
	 * On a machine without MySQL: its statements differ from those for MariaDB only by a
	 * counting table instead of a sequence, which MariaDB executes too.
	 */
	@Test
	void statementsForMySqlWorkOnMariaDb() {
		try (MariaDbTestServer server = MariaDbTestServer.run()) {
			execute(open(Databases.pool(server.url(), "app", "secret", 1)), "CREATE DATABASE mysqlish");
			HikariDataSource database = open(
					Databases.pool(server.url().replace("/locks", "/mysqlish"), "app", "secret", 8));
			JdbcLockSchema.create(database, JdbcDialect.MYSQL);
			for (JdbcLockStrategy strategy : JdbcLockStrategy.values()) {
				LockProvider provider = open(
						JdbcLocks.provider(database, Databases.settings(JdbcDialect.MYSQL).withStrategy(strategy)));
				long before = 0;
				for (int i = 0; i < 3; i++) {
					Lease lease = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
					assertThat(get(provider.tryAcquire(REQUEST))).isNull();
					assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(before);
					before = lease.fencingToken().orElseThrow();
					assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNotNull();
					assertThat(get(lease.release())).isTrue();
				}
			}
		}
	}

	private void rightsAreEnough(JdbcDialect dialect, String databaseUrl) {
		HikariDataSource locker = open(Databases.pool(databaseUrl, "locker", "secret", 5));
		for (JdbcLockStrategy strategy : JdbcLockStrategy.values()) {
			LockProvider provider = open(
					JdbcLocks.provider(locker, Databases.settings(dialect).withStrategy(strategy)));
			Lease lease = Objects.requireNonNull(get(provider.tryAcquire(REQUEST)));
			assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNotNull();
			assertThat(get(lease.release())).isTrue();
		}
		JdbcLockSettings settings = Databases.settings(dialect);
		get(open(new TableLockProvider(Databases.calls(locker, settings), false, Duration.ZERO, null)).sweepNow());
		get(open(SessionLockProvider.ofRows(Databases.calls(locker, settings), 1, Duration.ZERO, null)).sweepNow());
		LockProvider stranger = open(JdbcLocks.provider(open(Databases.pool(databaseUrl, "stranger", "secret", 2)),
				Databases.settings(dialect)));
		DefaultLockTemplate denied = open(DefaultLockTemplate.builder().provider(stranger).build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> denied.tryAcquire("k"))
			.withMessageContaining("least rights");
	}

	private void failureDoesNotShowAWrongPassword(JdbcDialect dialect, String databaseUrl) {
		LockProvider wrong = open(JdbcLocks.provider(open(Databases.pool(databaseUrl, "locker", "wr0ng", 2)),
				Databases.settings(dialect)));
		DefaultLockTemplate refused = open(DefaultLockTemplate.builder().provider(wrong).build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> refused.tryAcquire("k"))
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wr0ng"));
	}

	private void execute(String sql) {
		execute(this.pool, sql);
	}

	private static void execute(HikariDataSource database, String... statements) {
		try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private DefaultLockTemplate template(JdbcLockStrategy strategy, HikariDataSource database) {
		return open(DefaultLockTemplate.builder().provider(provider(strategy, database)).build());
	}

	private LockProvider provider(JdbcLockStrategy strategy, HikariDataSource database) {
		return open(JdbcLocks.provider(database, settings(strategy)));
	}

	private static JdbcLockSettings settings(JdbcLockStrategy strategy) {
		return Databases.settings(JdbcDialect.H2).withStrategy(strategy);
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
