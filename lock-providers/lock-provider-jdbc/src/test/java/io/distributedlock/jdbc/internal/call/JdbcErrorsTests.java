package io.distributedlock.jdbc.internal.call;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.H2TestServer;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLockStrategy;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.LostStatements;
import io.distributedlock.jdbc.MySqlOnDemand;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.ServerProcess;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the failures of real databases are translated to.
 */
class JdbcErrorsTests {

	private static final LeaseRequest REQUEST = new LeaseRequest("k", Duration.ofSeconds(60), LockType.EXCLUSIVE);

	private static PostgresTestServer postgres;

	private static MariaDbTestServer mariaDb;

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	private final List<AutoCloseable> opened = new ArrayList<>();

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

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void cancelledStatementMayBeTriedAgain() throws SQLException {
		get(get(onPostgres("").tryAcquire(REQUEST)).release());
		try (Connection connection = DriverManager.getConnection(postgres.url(), "postgres", "");
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("SELECT * FROM distributed_lock WHERE lock_key = 'k' FOR UPDATE");
			assertThatFailure(onPostgres("?options=-c%20statement_timeout=100").tryAcquire(REQUEST), true)
				.hasMessageContaining("cancelled");
			connection.rollback();
		}
	}

	/**
	 * The limit of a statement is in whole seconds, and so is over before the call.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void timeOutOfAStatementIsNoProblemOfTheConnection(JdbcDialect dialect) throws SQLException {
		LockProvider provider = provider(lockPool(dialect, 3),
				Databases.settings(dialect).withCommandTimeout(Duration.ofMillis(2900)));
		LeaseRequest request = new LeaseRequest("slow", REQUEST.leaseTime(), LockType.EXCLUSIVE);
		Patience.await().ignoreExceptions().until(() -> get(get(provider.tryAcquire(request)).release()));
		try (Connection connection = DriverManager.getConnection(server(dialect).url(), "app", "secret");
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("SELECT * FROM distributed_lock WHERE lock_key = 'slow' FOR UPDATE");
			// on a busy machine the call may be over first
			Patience.await()
				.untilAsserted(() -> assertThatFailure(provider.tryAcquire(request), true)
					.hasMessageContaining("the database cancelled the statement"));
			connection.rollback();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void readOnlyPostgresIsReportedAsSuch(JdbcLockStrategy strategy) {
		LockProvider provider = provider(
				pool(postgres.url() + "?options=-c%20default_transaction_read_only=on", "postgres", ""),
				Databases.settings(JdbcDialect.POSTGRESQL).withStrategy(strategy));
		assertThatFailure(provider.tryAcquire(REQUEST), true).hasMessageContaining("read-only");
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void readOnlyServerIsReportedAsSuch(JdbcDialect dialect) throws SQLException {
		String url = server(dialect).url();
		try (Connection connection = DriverManager.getConnection(url, "app", "secret");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE USER reader IDENTIFIED BY 'secret'");
			statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.* TO reader");
			statement.execute("SET GLOBAL read_only = 1");
			try {
				LockProvider provider = provider(pool(url, "reader", "secret"), Databases.settings(dialect));
				assertThatFailure(provider.tryAcquire(REQUEST), true).hasMessageContaining("read-only");
			}
			finally {
				statement.execute("SET GLOBAL read_only = 0");
			}
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void attemptsThatCollideUnderSerializableIsolationDoNotFail(JdbcLockStrategy strategy) {
		for (JdbcDialect dialect : List.of(JdbcDialect.POSTGRESQL, JdbcDialect.H2)) {
			HikariDataSource pool = lockPool(dialect, 20);
			pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
			contend(pool, dialect, strategy);
		}
	}

	@ParameterizedTest
	@CsvSource({ "MARIADB, SERIALIZABLE", "MYSQL, SERIALIZABLE", "MYSQL, REPEATABLE_READ", "MYSQL, READ_COMMITTED" })
	void attemptsThatCollideInTheFamilyOfMySqlDoNotFail(JdbcDialect dialect, String isolation) {
		HikariDataSource pool = lockPool(dialect, 20);
		pool.setTransactionIsolation("TRANSACTION_" + isolation);
		for (JdbcLockStrategy strategy : JdbcLockStrategy.values()) {
			contend(pool, dialect, strategy);
		}
	}

	/**
	 * On MariaDB and MySQL, an insertion of a row that somebody else has inserted and
	 * locked meanwhile would wait for the end of the other lease.
	 */
	@ParameterizedTest
	@EnumSource
	void firstInsertOfAKeyDoesNotWaitForAnother(JdbcDialect dialect) {
		HikariDataSource pool = lockPool(dialect, 20);
		JdbcLockSettings settings = Databases.settings(dialect)
			.withStrategy(JdbcLockStrategy.FOR_UPDATE)
			.withCommandTimeout(Duration.ofSeconds(20));
		LostStatements statements = new LostStatements(pool);
		LostStatements.Fault late = statements
			.delay((sql) -> sql.startsWith("INSERT INTO distributed_lock_row") && sql.contains("made_at"));
		LeaseRequest request = new LeaseRequest("inserted", REQUEST.leaseTime(), LockType.EXCLUSIVE);
		CompletableFuture<Lease> first = provider(statements.dataSource(), settings).tryAcquire(request)
			.toCompletableFuture();
		Patience.await().until(late::isReached);
		Lease second = get(provider(pool, settings).tryAcquire(request));
		late.proceed();
		assertThat(Stream.of(get(first), second).filter(Objects::nonNull)).hasSize(1);
	}

	/**
	 * A statement that finds no row would lock the gap around it on MariaDB and MySQL,
	 * and two owners that are added to neighbours would wait for each other.
	 */
	@ParameterizedTest
	@EnumSource
	void ownersOfAKeyDoNotWaitForThoseOfItsNeighbour(JdbcDialect dialect) {
		HikariDataSource pool = lockPool(dialect, 20);
		LostStatements statements = new LostStatements(pool);
		LockProvider first = provider(statements.dataSource(), Databases.settings(dialect));
		LockProvider second = provider(pool, Databases.settings(dialect));
		for (LockType type : List.of(LockType.READ, LockType.SEMAPHORE)) {
			LostStatements.Fault late = statements
				.delay((sql) -> sql.startsWith("INSERT INTO distributed_lock_member"));
			CompletableFuture<Lease> held = first
				.tryAcquire(new LeaseRequest("neighbour1" + type, REQUEST.leaseTime(), type))
				.toCompletableFuture();
			Patience.await().until(late::isReached);
			Lease other = get(second.tryAcquire(new LeaseRequest("neighbour2" + type, REQUEST.leaseTime(), type)));
			late.proceed();
			assertThat(get(Objects.requireNonNull(other).release())).isTrue();
			assertThat(held).succeedsWithin(Patience.LIMIT).isNotNull();
		}
	}

	/**
	 * Two that do not find a row and then insert it may wait for each other's gap.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void firstInsertsOfManyKeysDoNotFail(JdbcDialect dialect) {
		HikariDataSource pool = lockPool(dialect, 115);
		pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
		for (JdbcLockStrategy strategy : List.of(JdbcLockStrategy.ROW, JdbcLockStrategy.FOR_UPDATE)) {
			LockProvider provider = provider(pool,
					Databases.settings(dialect)
						.withStrategy(strategy)
						.withThreads(8)
						.withMaxLockConnections(100)
						.withCommandTimeout(Duration.ofSeconds(20)));
			for (LockType type : (strategy == JdbcLockStrategy.ROW) ? LockType.values()
					: new LockType[] { LockType.EXCLUSIVE }) {
				// neighbours, each asked for twice at the same time
				List<CompletableFuture<Lease>> leases = IntStream.range(0, 100)
					.mapToObj((i) -> "new%s%s%s".formatted(strategy, type, 100 + i / 2))
					.map((key) -> provider.tryAcquire(new LeaseRequest(key, REQUEST.leaseTime(), type))
						.toCompletableFuture())
					.toList();
				leases.forEach((lease) -> assertThat(lease).succeedsWithin(Patience.LIMIT));
			}
		}
	}

	@Test
	void transactionThatIsNotThereAnyMoreMayBeTriedAgain() throws SQLException {
		try (Connection connection = DriverManager.getConnection(postgres.url(), "postgres", "")) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit).satisfies((ex) -> {
				assertThat(ex.getSQLState()).isEqualTo("25P01");
				JdbcErrors errors = new JdbcErrors(SqlDialect.POSTGRESQL, Duration.ofSeconds(1));
				assertThat(errors.translate(ex).isRetryable()).isTrue();
				assertThat(SqlCodes.isConnectionProblem(ex)).isTrue();
			});
		}
	}

	/**
	 * A pool says that it has no connection; without one, the driver says why.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void userWithTooManyConnectionsMayTryAgain(JdbcDialect dialect) throws SQLException {
		String url = server(dialect).url();
		try (Connection admin = DriverManager.getConnection(url, "app", "secret");
				Statement statement = admin.createStatement()) {
			statement.execute("CREATE USER limited IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 1");
			statement.execute("GRANT SELECT ON locks.* TO limited");
		}
		Properties none = new Properties();
		LockProvider provider = provider(new DriverDataSource(url, null, none, "limited", "secret"),
				Databases.settings(dialect));
		try (Connection only = DriverManager.getConnection(url, "limited", "secret")) {
			assertThat(only.isClosed()).isFalse();
			assertThatFailure(provider.tryAcquire(REQUEST), true).hasMessageContaining("gave no connection");
		}
	}

	@ParameterizedTest
	@CsvSource({ "42000, 1203", "42000, 1461", "XX000, 0" })
	void limitsAndErrorsOfTheServerMayPass(String state, int code) {
		JdbcErrors errors = new JdbcErrors(SqlDialect.MYSQL, Duration.ofSeconds(1));
		assertThat(errors.translate(new SQLException("no more", state, code)).isRetryable()).isTrue();
	}

	@Test
	void wrongPasswordAndWrongDatabaseAreReportedAsSuch() throws SQLException {
		try (Connection connection = DriverManager.getConnection(postgres.url(), "postgres", "");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE USER locker PASSWORD 'secret'");
		}
		assertThatRefusal(JdbcDialect.POSTGRESQL, postgres.url().replace("/postgres", "/nowhere"), "postgres", "",
				"no such database");
		assertThatRefusal(JdbcDialect.POSTGRESQL, postgres.url(), "nobody", "wr0ng", "credentials");
		try (H2TestServer h2 = H2TestServer.run()) {
			Databases.createSchema(JdbcDialect.H2, h2.url(), "sa", "");
			assertThatRefusal(JdbcDialect.H2, h2.url(), "sa", "wr0ng", "credentials");
			assertThatRefusal(JdbcDialect.H2, h2.url().replace("/locks", "/nowhere") + ";IFEXISTS=TRUE", "sa", "",
					"no such database");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void wrongPasswordAndWrongDatabaseAreReportedAsSuchInTheFamilyOfMySql(JdbcDialect dialect) {
		String url = server(dialect).url();
		assertThatRefusal(dialect, url.replace("/locks", "/nowhere"), "app", "secret", "no such database");
		assertThatRefusal(dialect, url, "app", "wr0ng", "credentials");
	}

	/**
	 * A pool tries for longer than a call waits, and reports only then what was wrong.
	 */
	@Test
	void reasonOfAPoolThatAnswersLateIsReportedToLaterCalls() {
		HikariDataSource slow = open(Databases.pool(mariaDb.url(), "app", "wr0ng", 2));
		slow.setConnectionTimeout(1500);
		LockProvider provider = provider(slow,
				JdbcLockSettings.of(JdbcDialect.MARIADB).withCommandTimeout(Duration.ofSeconds(1)));
		Patience.await()
			.untilAsserted(
					() -> assertThatFailure(provider.tryAcquire(REQUEST), false).hasMessageContaining("credentials"));
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void databaseThatIsNotThereYetMayBeTriedAgain(JdbcDialect dialect) {
		int port = ServerProcess.freePort();
		// as in an application: the pool connects at its first use, and its failure is no
		// SQLException
		HikariDataSource eager = open(
				Databases.pool("jdbc:%s://127.0.0.1:%s/locks".formatted(dialect.name().toLowerCase(Locale.ROOT), port),
						"app", "x", 2));
		eager.setInitializationFailTimeout(1);
		LockProvider provider = provider(eager, Databases.settings(dialect));
		assertThatFailure(provider.tryAcquire(REQUEST), true).hasMessageContaining("cannot be reached")
			.hasMessageMatching(
					".*\\((Socket fail to connect to 127.0.0.1|Connection refused: Communications link failure).*\\):.*");
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ADVISORY")
	void callFailsWhateverADataSourceThrows(JdbcLockStrategy strategy) {
		for (Throwable thrown : List.of(new IllegalStateException("closed"), new NoClassDefFoundError("Driver"),
				new SQLException("no state at all"))) {
			LockProvider provider = provider(unwilling(thrown),
					Databases.settings(JdbcDialect.H2).withStrategy(strategy));
			assertThat(provider.tryAcquire(REQUEST).toCompletableFuture()).failsWithin(Patience.LIMIT);
			provider.close();
			assertThat(provider.tryAcquire(REQUEST).toCompletableFuture()).as("after close")
				.failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withMessageContaining("closed");
		}
	}

	/**
	 * A driver that needs longer than the pool waits is not heard before the next call.
	 */
	private void assertThatRefusal(JdbcDialect dialect, String url, String user, String password, String message) {
		HikariDataSource pool = pool(url, user, password);
		// as it never gets a connection
		pool.setConnectionTimeout(1000);
		LockProvider provider = provider(pool, Databases.settings(dialect));
		Patience.await()
			.untilAsserted(() -> assertThatFailure(provider.tryAcquire(REQUEST), false).hasMessageContaining(message));
		Patience.await()
			.untilAsserted(() -> assertThatIllegalStateException().isThrownBy(() -> JdbcDialect.detect(pool))
				.withMessageContaining(message));
		Patience.await()
			.untilAsserted(
					() -> assertThatIllegalStateException().isThrownBy(() -> JdbcLockSchema.create(pool, dialect))
						.withMessageContaining(message)
						.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("wr0ng")));
	}

	/**
	 * Each attempt is granted or contended, and one owner is inside at a time.
	 */
	private void contend(HikariDataSource pool, JdbcDialect dialect, JdbcLockStrategy strategy) {
		LockProvider provider = provider(pool,
				Databases.settings(dialect)
					.withStrategy(strategy)
					.withThreads(8)
					.withCommandTimeout(Duration.ofSeconds(20)));
		ExecutorService contenders = Executors.newFixedThreadPool(8);
		try {
			List<CompletableFuture<Void>> all = IntStream.range(0, 8).mapToObj((i) -> CompletableFuture.runAsync(() -> {
				for (int attempt = 0; attempt < 25; attempt++) {
					Lease lease = get(provider.tryAcquire(REQUEST));
					if (lease != null) {
						assertThat(get(lease.renew(Duration.ofSeconds(60)))).isNotNull();
						assertThat(get(lease.release())).isTrue();
					}
				}
			}, contenders)).toList();
			all.forEach((each) -> assertThat(each).succeedsWithin(Patience.LIMIT));
		}
		finally {
			contenders.shutdownNow();
		}
	}

	private static AbstractThrowableAssert<?, ? extends Throwable> assertThatFailure(CompletionStage<?> stage,
			boolean retryable) {
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		stage.whenComplete((value, thrown) -> failure
			.complete((thrown instanceof CompletionException) ? thrown.getCause() : thrown));
		Throwable thrown = failure.orTimeout(Patience.SECONDS, TimeUnit.SECONDS).join();
		assertThat(thrown).isInstanceOf(BackendException.class);
		assertThat(((BackendException) thrown).isRetryable()).as(thrown.getMessage()).isEqualTo(retryable);
		assertThat(thrown.getMessage()).doesNotContain("wr0ng");
		return assertThat(thrown);
	}

	private static DataSource unwilling(Throwable thrown) {
		return (DataSource) Proxy.newProxyInstance(JdbcErrorsTests.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
					throw thrown;
				});
	}

	private static MySqlFamilyServer server(JdbcDialect dialect) {
		return (dialect == JdbcDialect.MYSQL) ? mySql.get() : mariaDb;
	}

	private LockProvider onPostgres(String options) {
		return provider(pool(postgres.url() + options, "postgres", ""), Databases.settings(JdbcDialect.POSTGRESQL));
	}

	/**
	 * Open a pool on a database with the tables of locks.
	 */
	private HikariDataSource lockPool(JdbcDialect dialect, int size) {
		if (dialect == JdbcDialect.H2) {
			String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
			Databases.createSchema(dialect, url, "sa", "");
			return open(Databases.pool(url, "sa", "", size));
		}
		return (dialect == JdbcDialect.POSTGRESQL) ? open(Databases.pool(postgres.url(), "postgres", "", size))
				: open(Databases.pool(server(dialect).url(), "app", "secret", size));
	}

	private HikariDataSource pool(String url, String user, String password) {
		return open(Databases.pool(url, user, password, 3));
	}

	private LockProvider provider(DataSource database, JdbcLockSettings settings) {
		return open(JdbcLocks.provider(database, settings));
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

}
