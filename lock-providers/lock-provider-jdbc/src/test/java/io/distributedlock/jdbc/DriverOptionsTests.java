package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.jdbc.internal.table.TableLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * URLs with which a driver, or a database, behaves in another way than usual.
 */
class DriverOptionsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SOON = Duration.ofMillis(5);

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	/**
	 * The driver opens another connection and locks the row there, and nobody sees that
	 * it did not get it.
	 */
	@ParameterizedTest
	@CsvSource({ "MARIADB, FOR_UPDATE", "MYSQL, FOR_UPDATE", "MYSQL, ADVISORY" })
	void connectionThatIsAnotherOneHasNotKeptTheLock(JdbcDialect dialect, JdbcLockStrategy strategy) throws Exception {
		MySqlFamilyServer server = server(dialect);
		String url = server.url();
		String again = (dialect == JdbcDialect.MYSQL) ? server.url("autoReconnect=true")
				: url.replaceFirst("//([^/]+)/", "sequential://$1,$1/") + "?transactionReplay=true";
		LockProvider first = provider(pool(again, "app", "secret"), dialect, strategy);
		LockProvider second = provider(pool(url, "app", "secret"), dialect, strategy);
		LeaseRequest request = new LeaseRequest("k", LEASE, LockType.EXCLUSIVE);
		Lease lost = get(first.tryAcquire(request));
		killOthers(url);
		Patience.await().until(() -> get(second.tryAcquire(request)) != null);
		// the first answer may be that the connection has ended
		Patience.await().ignoreExceptions().untilAsserted(() -> assertThat(get(lost.renew(LEASE))).isNull());
		assertThat(get(lost.release())).isFalse();
	}

	/**
	 * Within one millisecond a renewal writes what is there already.
	 */
	@ParameterizedTest
	@CsvSource({ "MARIADB, ROW", "MARIADB, VERSION", "MYSQL, ROW", "MYSQL, VERSION" })
	void renewalThatChangesNothingIsNoLoss(JdbcDialect dialect, JdbcLockStrategy strategy) {
		HikariDataSource pool = pool(server(dialect).url("useAffectedRows=true"), "app", "secret");
		LockProvider provider = provider(pool, dialect, strategy);
		List<LockType> types = (strategy == JdbcLockStrategy.ROW)
				? List.of(LockType.EXCLUSIVE, LockType.READ, LockType.SEMAPHORE, LockType.FAIR)
				: List.of(LockType.EXCLUSIVE);
		for (LockType type : types) {
			Lease lease = get(provider.tryAcquire(new LeaseRequest("k" + strategy + type, LEASE, type)));
			for (int i = 0; i < 100; i++) {
				assertThat(get(lease.renew(LEASE))).as("%s", type).isNotNull();
			}
			assertThat(get(lease.release())).isTrue();
			assertThat(get(lease.renew(LEASE))).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Oracle", "MSSQLServer", "PostgreSQL", "MySQL", "MariaDB", "DB2", "Derby", "HSQLDB",
			"Strict", "Legacy" })
	void modesOfH2(String mode) {
		HikariDataSource pool = pool("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;MODE=%s".formatted(UUID.randomUUID(), mode),
				"sa", "");
		JdbcLockSchema.create(pool, JdbcDialect.H2);
		allStrategiesWork(pool, JdbcDialect.H2);
	}

	/**
	 * Options of MySQL's driver.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "useServerPrepStmts=true&cachePrepStmts=true", "rewriteBatchedStatements=true",
			"useAffectedRows=true", "autoReconnect=true", "useConfigs=maxPerformance",
			"useCursorFetch=true&defaultFetchSize=1", "allowMultiQueries=true",
			"connectionTimeZone=%2B09:00&forceConnectionTimeZoneToSession=true", "sslMode=PREFERRED",
			"tinyInt1isBit=false&yearIsDateType=false" })
	void optionsOfTheDriverOfMySql(String options) {
		allStrategiesWork(pool(mySql.get().url(options), "app", "secret"), JdbcDialect.MYSQL);
	}

	@Test
	void driverOfMySqlOnMariaDb() {
		MySqlFamilyServer server = server(JdbcDialect.MARIADB);
		HikariDataSource pool = pool(
				server.url().replace("jdbc:mariadb:", "jdbc:mysql:") + "?sslMode=DISABLED&allowPublicKeyRetrieval=true",
				"app", "secret");
		assertThat(JdbcDialect.detect(pool)).isEqualTo(JdbcDialect.MARIADB);
		allStrategiesWork(pool, JdbcDialect.MARIADB);
	}

	@Test
	void driverOfMariaDbOnMySql() {
		HikariDataSource pool = pool(
				"jdbc:mariadb://127.0.0.1:%s/locks?allowPublicKeyRetrieval=true".formatted(mySql.get().port()), "app",
				"secret");
		assertThat(JdbcDialect.detect(pool)).isEqualTo(JdbcDialect.MYSQL);
		allStrategiesWork(pool, JdbcDialect.MYSQL);
	}

	/**
	 * What an administrator may set for all sessions.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "sql_mode = ''", "sql_mode = 'ANSI'", "sql_mode = 'TRADITIONAL'",
			"sql_mode = 'NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES'", "sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'",
			"sql_mode = 'NO_AUTO_VALUE_ON_ZERO,NO_UNSIGNED_SUBTRACTION'",
			"sql_mode = 'ONLY_FULL_GROUP_BY,NO_BACKSLASH_ESCAPES'", "time_zone = '%2B13:00'", "time_zone = '-11:00'",
			"transaction_isolation = 'SERIALIZABLE'", "transaction_isolation = 'READ-UNCOMMITTED'", "autocommit = 0",
			"innodb_lock_wait_timeout = 1", "auto_increment_increment = 7",
			"collation_connection = 'utf8mb4_0900_ai_ci'" })
	void variablesOfMySql(String variable) {
		String url = mySql.get().url("sessionVariables=" + variable.replace(" = ", "="));
		allStrategiesWork(pool(url, "app", "secret"), JdbcDialect.MYSQL);
	}

	@Test
	void mySqlWithNamesOfTablesInLowerCase() {
		MySqlTestServer server = open(
				MySqlTestServer.run("--lower-case-table-names=1", "--default-time-zone=-11:00", "--sql-mode=ANSI"));
		Databases.createSchema(JdbcDialect.MYSQL, server.url(), "app", "secret");
		allStrategiesWork(pool(server.url(), "app", "secret"), JdbcDialect.MYSQL);
	}

	/**
	 * Each strategy, with a key of its own.
	 */
	private void allStrategiesWork(HikariDataSource pool, JdbcDialect dialect) {
		List<JdbcLockStrategy> strategies = Stream.of(JdbcLockStrategy.values())
			.filter((strategy) -> strategy != JdbcLockStrategy.ADVISORY || dialect != JdbcDialect.H2)
			.toList();
		for (JdbcLockStrategy strategy : strategies) {
			LockProvider provider = provider(pool, dialect, strategy);
			LeaseRequest request = new LeaseRequest("k" + strategy, LEASE, LockType.EXCLUSIVE);
			Lease lease = get(provider.tryAcquire(request));
			assertThat(get(provider.tryAcquire(request))).isNull();
			assertThat(get(lease.renew(LEASE))).isNotNull();
			assertThat(get(lease.release())).isTrue();
			Lease next = get(provider.tryAcquire(request));
			assertThat(next.fencingToken().orElseThrow()).isGreaterThan(lease.fencingToken().orElseThrow());
			assertThat(get(next.release())).isTrue();
			if (provider instanceof LockQueue queue && queue.queues(LockType.FAIR)) {
				waitingCallIsGranted(provider, new LeaseRequest("k" + strategy, LEASE, LockType.FAIR));
			}
			if (provider instanceof SessionLockProvider sessions) {
				assertThat(sessions.sweepNow()).succeedsWithin(Patience.LIMIT);
			}
			if (provider instanceof TableLockProvider table) {
				assertThat(table.sweepNow()).succeedsWithin(Patience.LIMIT);
			}
		}
	}

	private static void waitingCallIsGranted(LockProvider provider, LeaseRequest request) {
		Lease lease = get(provider.tryAcquire(request));
		LockQueue.Place place = ((LockQueue) provider).enqueue(request);
		Patience.await().pollInterval(SOON).until(place::isBehindOthers);
		assertThat(get(lease.release())).isTrue();
		CompletableFuture<Lease> granted = place.granted().toCompletableFuture();
		Patience.await().pollInterval(SOON).until(() -> {
			place.lookAgain();
			return granted.isDone();
		});
		assertThat(get(get(granted).release())).isTrue();
	}

	/**
	 * End the other connections of the user.
	 */
	private static void killOthers(String url) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url, "app", "secret");
				Statement statement = connection.createStatement()) {
			List<Long> others = new ArrayList<>();
			try (ResultSet rows = statement.executeQuery(
					"SELECT id FROM information_schema.processlist WHERE user = 'app' AND id <> CONNECTION_ID()")) {
				while (rows.next()) {
					others.add(rows.getLong(1));
				}
			}
			for (long other : others) {
				statement.execute("KILL " + other);
			}
		}
	}

	private MySqlFamilyServer server(JdbcDialect dialect) {
		return (dialect == JdbcDialect.MYSQL) ? mySql.get() : open(Databases.run(dialect));
	}

	private LockProvider provider(HikariDataSource pool, JdbcDialect dialect, JdbcLockStrategy strategy) {
		return open(JdbcLocks.provider(pool, Databases.settings(dialect).withStrategy(strategy)));
	}

	private HikariDataSource pool(String url, String user, String password) {
		return open(Databases.pool(url, user, password, 5));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
