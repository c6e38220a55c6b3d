package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.jdbc.internal.table.TableLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Which databases can have the tables, and the tables: several nodes create them at the
 * same time, unused rows are deleted, and two different keys are never taken for one.
 */
class JdbcSchemaTests {

	private static final int NODES = 3;

	private static final int ROUNDS = 10;

	private static PostgresTestServer postgres;

	private static MariaDbTestServer mariaDb;

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void start() {
		postgres = PostgresTestServer.run();
		mariaDb = MariaDbTestServer.run();
	}

	@AfterAll
	static void stop() {
		postgres.close();
		mariaDb.close();
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	/**
	 * The server says of itself what such a database says.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			CockroachDB CCL v22.2.6 (x86_64-pc-linux-gnu, built 2023/03/03 19:31:13, go1.19.4)     | false
			PostgreSQL 11.2-YB-2024.2.11.0-b0 on aarch64-unknown-linux-gnu, compiled by clang 17   | false
			(openGauss 5.0.2 build 48a25b11) compiled at 2024-05-14 10:25:27                       | false
			8.0.11-TiDB-v7.5.1                                                                     | false
			5.7.25-OceanBase-v4.2.1.0                                                              | false
			PostgreSQL 16.1 (EnterpriseDB Advanced Server 16.1.0) on x86_64-pc-linux-gnu           | true
			8.0.mysql_aurora.3.04.0                                                                | true
			""")
	void databaseThatOnlyHasTheProtocolOfAnotherIsRefused(String version, boolean supported) throws SQLException {
		String url = emptyPostgres("imitation" + System.nanoTime());
		execute(url, "postgres", "",
				"CREATE FUNCTION version() RETURNS text LANGUAGE sql AS $$ SELECT '" + version + "' $$");
		HikariDataSource pool = open(Databases.pool(url + ",pg_catalog", "postgres", "", 1));
		if (supported) {
			assertThat(JdbcDialect.detect(pool)).isEqualTo(JdbcDialect.POSTGRESQL);
		}
		else {
			assertThatIllegalStateException().isThrownBy(() -> JdbcDialect.detect(pool)).withMessageContaining(version);
		}
	}

	@Test
	void nodesCreateTheTablesAtTheSameTimeOnPostgres() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			createAtTheSameTime(JdbcDialect.POSTGRESQL, emptyPostgres("together" + round), "postgres", "");
		}
	}

	@Test
	void nodesCreateTheTablesAtTheSameTimeOnMariaDb() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			createAtTheSameTime(JdbcDialect.MARIADB, Databases.emptyDatabase(mariaDb, "together" + round), "app",
					"secret");
		}
	}

	@Test
	void nodesCreateTheTablesAtTheSameTimeOnMySql() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			createAtTheSameTime(JdbcDialect.MYSQL, Databases.emptyDatabase(mySql.get(), "together" + round), "app",
					"secret");
		}
	}

	@Test
	void nodesCreateTheTablesAtTheSameTimeOnH2() throws Exception {
		for (int round = 0; round < ROUNDS; round++) {
			createAtTheSameTime(JdbcDialect.H2, emptyH2(""), "sa", "");
		}
	}

	@Test
	void rowsOfDeadHoldersAreDeleted() throws SQLException {
		HikariDataSource pool = pool(JdbcDialect.H2, emptyH2(""), "sa", "");
		TableLockProvider provider = open(new TableLockProvider(
				Databases.calls(pool, Databases.settings(JdbcDialect.H2)), false, Duration.ZERO, null));
		for (LockType type : List.of(LockType.EXCLUSIVE, LockType.READ, LockType.SEMAPHORE)) {
			get(provider.tryAcquire(request("dead-" + type, Duration.ofMillis(1), type)));
		}
		Lease held = get(provider.tryAcquire(request("held", Duration.ofSeconds(60), LockType.EXCLUSIVE)));
		Patience.await().untilAsserted(() -> {
			get(provider.sweepNow());
			assertThat(count(pool, "SELECT COUNT(*) FROM distributed_lock WHERE lock_key <> 'held'")).isZero();
			assertThat(count(pool, "SELECT COUNT(*) FROM distributed_lock_member")).isZero();
		});
		assertThat(get(held.release())).isTrue();
	}

	@Test
	void freeRowsOfRowLocksAreDeleted() throws SQLException {
		rowLocksLeaveNothing(JdbcDialect.H2, pool(JdbcDialect.H2, emptyH2(""), "sa", ""));
		rowLocksLeaveNothing(JdbcDialect.POSTGRESQL,
				pool(JdbcDialect.POSTGRESQL, emptyPostgres("swept"), "postgres", ""));
		rowLocksLeaveNothing(JdbcDialect.MARIADB,
				pool(JdbcDialect.MARIADB, Databases.emptyDatabase(mariaDb, "swept"), "app", "secret"));
	}

	@Test
	void freeRowsOfRowLocksAreDeletedOnMySql() throws SQLException {
		HikariDataSource pool = pool(JdbcDialect.MYSQL, Databases.emptyDatabase(mySql.get(), "swept"), "app", "secret");
		rowLocksLeaveNothing(JdbcDialect.MYSQL, pool);
		assertThat(count(pool, "SELECT COUNT(*) FROM distributed_lock_token")).as("counted tokens").isZero();
	}

	@Test
	void sweepThatFailsLeavesNoLimitOnItsConnection() throws SQLException {
		HikariDataSource pool = open(Databases.pool(Databases.emptyDatabase(mariaDb, "unswept"), "app", "secret", 1));
		JdbcLockSchema.create(pool, JdbcDialect.MARIADB);
		SessionLockProvider provider = open(SessionLockProvider
			.ofRows(Databases.calls(pool, Databases.settings(JdbcDialect.MARIADB)), 1, Duration.ZERO, null));
		get(get(provider.tryAcquire(request("k", Duration.ofSeconds(60), LockType.EXCLUSIVE))).release());
		try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("CREATE TRIGGER kept BEFORE DELETE ON distributed_lock_row FOR EACH ROW "
					+ "SIGNAL SQLSTATE '45000'");
		}
		assertThat(provider.sweepNow()).failsWithin(Patience.LIMIT);
		assertThat(count(pool, "SELECT @@SESSION.wait_timeout")).isGreaterThan(60);
	}

	@Test
	void readerThatHasGivenUpWhileARowWasLockedLeavesItsConnectionToThePool() throws SQLException {
		String url = Databases.emptyDatabase(mariaDb, "locked");
		HikariDataSource pool = open(Databases.pool(url, "app", "secret", 1));
		JdbcLockSchema.create(pool, JdbcDialect.MARIADB);
		JdbcLockSettings settings = Databases.settings(JdbcDialect.MARIADB);
		LeaseRequest reader = request("k", Duration.ofSeconds(60), LockType.READ);
		get(get(open(JdbcLocks.provider(pool, settings)).tryAcquire(reader)).release());
		long before = count(pool, "SELECT CONNECTION_ID()");
		LockProvider hasty = open(JdbcLocks.provider(pool, settings.withCommandTimeout(Duration.ofSeconds(1))));
		try (Connection other = DriverManager.getConnection(url, "app", "secret")) {
			other.setAutoCommit(false);
			Session.on(other).text("SELECT owner FROM distributed_lock WHERE lock_key = 'k' FOR UPDATE");
			assertThat(hasty.tryAcquire(reader)).failsWithin(Patience.LIMIT);
		}
		assertThat(count(pool, "SELECT CONNECTION_ID()")).isEqualTo(before);
	}

	@Test
	void keysThatDifferAreDifferentLocks() throws SQLException {
		keysAreDifferentLocks(JdbcDialect.H2, emptyH2(""));
		keysAreDifferentLocks(JdbcDialect.H2, emptyH2(";IGNORECASE=TRUE"));
		keysAreDifferentLocks(JdbcDialect.POSTGRESQL, emptyPostgres("keys"), "postgres", "");
		keysAreDifferentLocks(JdbcDialect.MARIADB, Databases.emptyDatabase(mariaDb, "different"), "app", "secret");
	}

	@Test
	void keysThatDifferAreDifferentLocksOnMySql() throws SQLException {
		keysAreDifferentLocks(JdbcDialect.MYSQL, Databases.emptyDatabase(mySql.get(), "different"), "app", "secret");
	}

	private void keysAreDifferentLocks(JdbcDialect dialect, String url) throws SQLException {
		keysAreDifferentLocks(dialect, url, "sa", "");
	}

	/**
	 * Every printable character alone and twice, and pairs that differ in case, width or
	 * order.
	 */
	private void keysAreDifferentLocks(JdbcDialect dialect, String url, String user, String password)
			throws SQLException {
		HikariDataSource pool = pool(dialect, url, user, password);
		List<String> keys = new ArrayList<>(List.of("key", "KEY", "Key", "kEY", "key.", "key..", "ss", "sS", "0", "00",
				"1e1", "10", "true", "null"));
		IntStream.rangeClosed('!', '~').filter((c) -> c != '~').forEach((c) -> {
			keys.add("k" + (char) c);
			keys.add("k" + (char) c + (char) c);
		});
		LockProvider row = open(JdbcLocks.provider(pool, Databases.settings(dialect)));
		for (String key : keys) {
			assertThat(get(row.tryAcquire(request(key, Duration.ofMinutes(10), LockType.EXCLUSIVE))))
				.as("'%s' on %s", key, dialect)
				.isNotNull();
		}
		LockProvider forUpdate = open(JdbcLocks.provider(pool,
				Databases.settings(dialect).withStrategy(JdbcLockStrategy.FOR_UPDATE).withMaxLockConnections(20)));
		for (String key : keys.subList(0, 14)) {
			assertThat(get(forUpdate.tryAcquire(request(key, Duration.ofMinutes(10), LockType.EXCLUSIVE))))
				.as("'%s' on %s", key, dialect)
				.isNotNull();
		}
	}

	private void rowLocksLeaveNothing(JdbcDialect dialect, HikariDataSource pool) throws SQLException {
		JdbcLockSettings settings = Databases.settings(dialect)
			.withStrategy(JdbcLockStrategy.FOR_UPDATE)
			.withSweepAfter(Duration.ZERO);
		SessionLockProvider provider = open(
				SessionLockProvider.ofRows(Databases.calls(pool, settings), 10, Duration.ZERO, null));
		for (int i = 0; i < 20; i++) {
			get(get(provider.tryAcquire(request("free" + i, Duration.ofSeconds(60), LockType.EXCLUSIVE))).release());
		}
		Lease held = get(provider.tryAcquire(request("held", Duration.ofSeconds(60), LockType.EXCLUSIVE)));
		assertThat(get(provider.sweepNow())).isEqualTo(20);
		assertThat(count(pool, "SELECT COUNT(*) FROM distributed_lock_row")).as("the row that is locked").isEqualTo(1);
		LockProvider other = open(JdbcLocks.provider(pool, settings));
		assertThat(get(other.tryAcquire(request("held", Duration.ofSeconds(60), LockType.EXCLUSIVE)))).isNull();
		assertThat(get(held.release())).isTrue();
		Lease next = get(other.tryAcquire(request("free1", Duration.ofSeconds(60), LockType.EXCLUSIVE)));
		assertThat(next.fencingToken().orElseThrow()).isGreaterThan(held.fencingToken().orElseThrow());
		get(next.release());
	}

	private void createAtTheSameTime(JdbcDialect dialect, String url, String user, String password) throws Exception {
		CyclicBarrier start = new CyclicBarrier(NODES);
		ExecutorService nodes = Executors.newFixedThreadPool(NODES);
		try {
			List<CompletableFuture<Void>> created = IntStream.range(0, NODES)
				.mapToObj((node) -> CompletableFuture.runAsync(() -> {
					try (HikariDataSource pool = Databases.pool(url, user, password, 1)) {
						pool.getConnection().close();
						start.await(Patience.SECONDS, TimeUnit.SECONDS);
						JdbcLockSchema.create(pool, dialect);
					}
					catch (Exception ex) {
						throw new IllegalStateException(ex);
					}
				}, nodes))
				.toList();
			for (CompletableFuture<Void> each : created) {
				each.get(Patience.SECONDS, TimeUnit.SECONDS);
			}
		}
		finally {
			nodes.shutdownNow();
		}
	}

	private static LeaseRequest request(String key, Duration leaseTime, LockType type) {
		return new LeaseRequest(key, leaseTime, type);
	}

	private static long count(HikariDataSource pool, String sql) throws SQLException {
		try (Connection connection = pool.getConnection()) {
			return Session.on(connection).number(sql);
		}
	}

	private static String emptyPostgres(String schema) throws SQLException {
		execute(postgres.url(), "postgres", "", "CREATE SCHEMA " + schema);
		return postgres.url() + "?currentSchema=" + schema;
	}

	private static String emptyH2(String options) {
		return "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1%s".formatted(UUID.randomUUID(), options);
	}

	private static void execute(String url, String user, String password, String sql) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url, user, password);
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	private HikariDataSource pool(JdbcDialect dialect, String url, String user, String password) {
		HikariDataSource pool = open(Databases.pool(url, user, password, 40));
		JdbcLockSchema.create(pool, dialect);
		return pool;
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
