package io.distributedlock.jdbc.internal.session;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLockStrategy;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.jdbc.LostStatements;
import io.distributedlock.jdbc.MySqlOnDemand;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the kit cannot see of advisory locks: their connections, and sessions that get a
 * lock for a JVM that has stopped.
 */
class AdvisoryLocksTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	/**
	 * The shortest for which MySQL waits.
	 */
	private static final Duration LOOK = Duration.ofMillis(500);

	private static final int CONNECTIONS = 4;

	private static PostgresTestServer postgres;

	private static MariaDbTestServer mariaDb;

	@RegisterExtension
	private static final MySqlOnDemand mySql = new MySqlOnDemand();

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		postgres = PostgresTestServer.run();
		Databases.createSchema(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
		mariaDb = MariaDbTestServer.run();
		Databases.createSchema(JdbcDialect.MARIADB, mariaDb.url(), "app", "secret");
	}

	@AfterAll
	static void stopServers() {
		if (postgres != null) {
			postgres.close();
		}
		if (mariaDb != null) {
			mariaDb.close();
		}
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@Test
	void databaseWithoutSuchLocksIsRefused() {
		HikariDataSource pool = open(Databases.pool("jdbc:h2:mem:none", "sa", "", 1));
		JdbcLockSettings settings = Databases.settings(JdbcDialect.H2).withStrategy(JdbcLockStrategy.ADVISORY);
		assertThatThrownBy(() -> JdbcLocks.provider(pool, settings)).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("advisory on H2")
			.hasMessageContaining("strategy row");
	}

	/**
	 * As docs/providers/jdbc.md says it.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void operatorFindsTheSessionOfAKeyAndEndsIt(JdbcDialect dialect) throws SQLException {
		LockProvider holder = provider(pool(dialect), dialect);
		Lease lease = acquire(holder, request(dialect, "wanted"));
		acquire(holder, request(dialect, "another"));
		String key = request(dialect, "wanted").key();
		boolean postgres = dialect == JdbcDialect.POSTGRESQL;
		endSession(dialect, postgres
				? "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) ="
						+ " ('x' || left(encode(sha256('distributed_lock " + key + "'), 'hex'), 16))::bit(64)::bigint"
				: "SELECT IS_USED_LOCK(SHA2(CONCAT_WS(' ', 'distributed_lock', DATABASE(), '" + key + "'), 256))");
		Patience.await().ignoreExceptions().until(() -> get(lease.renew(LEASE)) == null);
		LockProvider other = provider(pool(dialect), dialect);
		// the server may still be ending the session
		Patience.await().until(() -> get(other.tryAcquire(request(dialect, "wanted"))), Objects::nonNull);
		assertThat(get(other.tryAcquire(request(dialect, "another")))).isNull();
	}

	/**
	 * As docs/providers/jdbc.md says it.
	 */
	@Test
	void operatorFindsTheSessionsOfRowLocksAndEndsOne() throws SQLException {
		LockProvider holder = open(JdbcLocks.provider(pool(JdbcDialect.POSTGRESQL),
				Databases.settings(JdbcDialect.POSTGRESQL).withStrategy(JdbcLockStrategy.FOR_UPDATE)));
		Lease lease = acquire(holder, request(JdbcDialect.POSTGRESQL, "row"));
		endSession(JdbcDialect.POSTGRESQL,
				"SELECT pid FROM pg_locks WHERE relation = 'distributed_lock_row'::regclass");
		Patience.await().ignoreExceptions().until(() -> get(lease.renew(LEASE)) == null);
	}

	private void endSession(JdbcDialect dialect, String query) throws SQLException {
		try (Connection connection = pool(dialect).getConnection();
				Statement statement = connection.createStatement()) {
			List<Long> found = Session.on(connection).all(query, (row) -> row.getLong(1));
			assertThat(found).hasSize(1);
			long id = found.get(0);
			statement.execute(
					(dialect == JdbcDialect.POSTGRESQL) ? "SELECT pg_terminate_backend(" + id + ")" : "KILL " + id);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void waiterThatHasLeftReturnsItsConnection(JdbcDialect dialect) {
		HikariDataSource pool = pool(dialect);
		LockProvider waiter = provider(pool, dialect);
		Lease held = acquire(provider(pool(dialect), dialect), request(dialect, "left"));
		LockQueue.Place place = ((LockQueue) waiter).enqueue(request(dialect, "left"));
		Patience.await().until(() -> isWaiting(dialect));
		assertThat(place.isBehindOthers()).isTrue();
		place.leave();
		Patience.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(get(held.release())).isTrue();
		assertThat(get(acquire(waiter, request(dialect, "left")).release())).isTrue();
	}

	/**
	 * More keys than there are connections to wait with, and no poll.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void everyWaiterIsServedThoughFewWaitOnTheServer(JdbcDialect dialect) {
		LockProvider holder = provider(pool(dialect), dialect);
		LockQueue waiter = (LockQueue) provider(pool(dialect), dialect);
		List<Lease> held = new ArrayList<>();
		List<LockQueue.Place> places = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			held.add(acquire(holder, request(dialect, "many" + i)));
			places.add(waiter.enqueue(request(dialect, "many" + i)));
		}
		places.forEach((place) -> Patience.await().until(() -> {
			place.lookAgain();
			return place.isBehindOthers();
		}));
		// at once, as a grant that nobody takes up ends soon
		List<CompletableFuture<Boolean>> released = places.stream()
			.map((place) -> place.granted().thenCompose(Lease::release).toCompletableFuture())
			.toList();
		held.forEach((lease) -> assertThat(get(lease.release())).isTrue());
		Patience.await().until(() -> released.stream().allMatch(CompletableFuture::isDone));
		assertThat(released).extracting(CompletableFuture::join).containsOnly(true);
	}

	/**
	 * The server gives a waiting session its lock, also if nobody takes it up.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void lockThatNobodyTakesUpIsFreeAgainSoon(JdbcDialect dialect) {
		// on a busy machine it may be free before another one asks
		Patience.await().until(() -> isTakenAndFreeAgainSoon(dialect));
	}

	private boolean isTakenAndFreeAgainSoon(JdbcDialect dialect) throws SQLException {
		AdvisoryLocks locks = new AdvisoryLocks(Databases.sql(dialect));
		String key = "silent" + System.nanoTime();
		try (Session stopped = session(dialect); Session next = session(dialect)) {
			assertThat(locks.lock(stopped, key, Duration.ofMillis(500), Duration.ofSeconds(1))).isNotZero();
			if (locks.lock(next, key, LEASE, Duration.ofMillis(1)) != 0) {
				return false;
			}
			if (dialect == JdbcDialect.POSTGRESQL) {
				next.connection().rollback();
			}
			assertThat(locks.lock(next, key, LEASE, Duration.ofSeconds(10))).isNotZero();
			return true;
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void grantThatIsRenewedIsKept(JdbcDialect dialect) throws SQLException {
		LockProvider holder = provider(pool(dialect), dialect);
		Lease granted = grantedAfter(holder, dialect, "kept");
		assertThat(get(granted.renew(LEASE))).isNotNull();
		// longer than a grant that nobody takes up
		Patience.await()
			.during(Duration.ofSeconds(4))
			.until(() -> get(holder.tryAcquire(request(dialect, "kept"))) == null);
		assertThat(get(granted.release())).isTrue();
	}

	/**
	 * As of a JVM that has stopped: the engine renews a grant that is shorter than its
	 * lease.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void grantThatNobodyRenewsEndsSoon(JdbcDialect dialect) {
		LockProvider holder = provider(pool(dialect), dialect);
		// a grant that comes late is for the whole lease
		Lease granted = Patience.await("a grant in time").until(() -> {
			Lease lease = grantedAfter(holder, dialect, "short");
			if (lease.term().granted().compareTo(LEASE) < 0) {
				return lease;
			}
			get(lease.release());
			return null;
		}, Objects::nonNull);
		Lease next = Patience.await().until(() -> get(holder.tryAcquire(request(dialect, "short"))), Objects::nonNull);
		assertThat(granted.term().deadlineNanos() - System.nanoTime()).isNegative();
		assertThat(next.fencingToken().orElseThrow()).isGreaterThan(granted.fencingToken().orElseThrow());
		assertThat(get(granted.renew(LEASE))).isNull();
		assertThat(get(next.renew(LEASE))).isNotNull();
	}

	/**
	 * The engine would take a shorter term for that of the whole lease.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void shortLeaseBeginsWithItsGrant(JdbcDialect dialect) throws SQLException {
		Lease held = acquire(provider(pool(dialect), dialect), request(dialect, "begins"));
		Duration lease = Duration.ofSeconds(1);
		LockQueue.Place place = ((LockQueue) provider(pool(dialect), dialect)).enqueue(new LeaseRequest(
				dialect + "begins", lease, LockType.EXCLUSIVE, 1, System.nanoTime() + Session.NEVER_NANOS, 1, LOOK));
		Patience.await().until(() -> isWaiting(dialect));
		long released = System.nanoTime();
		assertThat(get(held.release())).isTrue();
		Lease granted = get(place.granted());
		assertThat(granted.term().granted()).isEqualTo(lease);
		assertThat(granted.term().startNanos() - released).isPositive();
		get(granted.release());
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void leaseBringsAsManyTokensAsWereAskedFor(JdbcDialect dialect) {
		LockProvider one = provider(pool(dialect), dialect);
		LockProvider other = provider(pool(dialect), dialect);
		long last = 0;
		for (int tokens : List.of(3, 1024, 1)) {
			for (LockProvider provider : List.of(one, other)) {
				Lease lease = acquire(provider, new LeaseRequest(dialect + "tokens", LEASE, LockType.EXCLUSIVE, 1,
						System.nanoTime() + Session.NEVER_NANOS, tokens, Duration.ofMillis(200)));
				assertThat(lease.fencingTokens()).isEqualTo(tokens);
				assertThat(lease.fencingToken().orElseThrow()).isGreaterThan(last);
				last = lease.fencingToken().orElseThrow() + tokens - 1;
				assertThat(get(lease.release())).isTrue();
			}
		}
	}

	private Lease grantedAfter(LockProvider holder, JdbcDialect dialect, String key) throws SQLException {
		LockProvider waiter = provider(pool(dialect), dialect);
		Lease held = acquire(holder, request(dialect, key));
		LockQueue.Place place = ((LockQueue) waiter).enqueue(request(dialect, key));
		Patience.await().until(() -> isWaiting(dialect));
		assertThat(get(held.release())).isTrue();
		Lease granted = get(place.granted());
		assertThat(granted.fencingToken().orElseThrow()).isGreaterThan(held.fencingToken().orElseThrow());
		return granted;
	}

	/**
	 * A session that has locked a key and then fails goes back to its pool.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void failureAfterTheLockLeavesNoLockInThePool(JdbcDialect dialect) {
		LostStatements lost = new LostStatements(pool(dialect));
		LockProvider failing = provider(lost.dataSource(), dialect);
		LockProvider other = provider(pool(dialect), dialect);
		LeaseRequest request = request(dialect, "failed");
		LostStatements.Fault fault = lost.fail((sql) -> sql.contains("distributed_lock_token"));
		assertThatThrownBy(() -> get(failing.tryAcquire(request)));
		assertThat(fault.isReached()).isTrue();
		Lease lease = Patience.await().until(() -> get(other.tryAcquire(request)), Objects::nonNull);
		assertThat(get(lease.release())).isTrue();
	}

	/**
	 * Another one may have been refused while the row was locked.
	 */
	@Test
	void rowLockThatAFailureEndsIsAnnounced() {
		JdbcLockSettings settings = Databases.settings(JdbcDialect.POSTGRESQL)
			.withStrategy(JdbcLockStrategy.FOR_UPDATE);
		LostStatements lost = new LostStatements(pool(JdbcDialect.POSTGRESQL));
		LockProvider failing = open(JdbcLocks.provider(lost.dataSource(), settings));
		LockProvider other = open(JdbcLocks.provider(pool(JdbcDialect.POSTGRESQL), settings));
		LeaseRequest request = request(JdbcDialect.POSTGRESQL, "announced");
		AtomicInteger told = new AtomicInteger();
		((ReleaseSignal) other).listen(request.key(), told::incrementAndGet);
		// whoever begins to listen is told soon after, perhaps twice
		Patience.await().until(() -> told.getAndSet(0) > 0);
		Patience.await().during(Duration.ofSeconds(1)).until(() -> told.getAndSet(0) == 0);
		lost.fail((sql) -> sql.contains("nextval"));
		assertThatThrownBy(() -> get(failing.tryAcquire(request)));
		Patience.await().until(() -> told.get() > 0);
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void lockThatWasReleasedWasHeldThoughItsConnectionBreaksThen(JdbcDialect dialect) {
		LostStatements lost = new LostStatements(pool(dialect));
		Lease lease = acquire(provider(lost.dataSource(), dialect), request(dialect, "released"));
		LostStatements.Fault fault = lost.loseReply((sql) -> sql.contains("@distributed_lock_wait = NULL"));
		assertThat(get(lease.release())).isTrue();
		assertThat(fault.isReached()).isTrue();
	}

	/**
	 * A proxy in front of the database opens another session where one is lost, and sets
	 * its variables as they were.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void sessionThatIsAnotherOneHasNotKeptTheLock(JdbcDialect dialect) throws SQLException {
		AtomicReference<Connection> session = new AtomicReference<>(connect(dialect));
		Connection throughProxy = proxy(Connection.class,
				(method, arguments) -> method.invoke(session.get(), arguments));
		LockProvider holder = provider(proxy(DataSource.class, (method, arguments) -> throughProxy), dialect);
		LockProvider other = provider(pool(dialect), dialect);
		LeaseRequest request = request(dialect, "proxy");
		Lease lost = acquire(holder, request);
		assertThat(get(lost.renew(LEASE))).isNotNull();
		session.getAndSet(connect(dialect)).close();
		Lease next = Patience.await().until(() -> get(other.tryAcquire(request)), Objects::nonNull);
		assertThat(get(lost.renew(LEASE))).isNull();
		assertThat(get(next.renew(LEASE))).isNotNull();
		assertThat(get(next.release())).isTrue();
	}

	private static Connection connect(JdbcDialect dialect) throws SQLException {
		return DriverManager.getConnection((dialect == JdbcDialect.MYSQL) ? mySql.get().url() : mariaDb.url(), "app",
				"secret");
	}

	@SuppressWarnings("unchecked")
	private static <T> T proxy(Class<T> type, Call call) {
		return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> call.of(method, arguments));
	}

	private boolean isWaiting(JdbcDialect dialect) throws SQLException {
		String sql = (dialect == JdbcDialect.POSTGRESQL)
				? "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
				: "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'";
		try (Connection connection = pool(dialect).getConnection()) {
			return Session.on(connection).number(sql) > 0;
		}
	}

	private Session session(JdbcDialect dialect) throws SQLException {
		JdbcLockSettings settings = JdbcLockSettings.of(dialect).withCommandTimeout(Duration.ofSeconds(20));
		return open(Databases.calls(pool(dialect), settings)).open(System.nanoTime() + Session.NEVER_NANOS);
	}

	private static Lease acquire(LockProvider provider, LeaseRequest request) {
		return Objects.requireNonNull(get(provider.tryAcquire(request)));
	}

	private static LeaseRequest request(JdbcDialect dialect, String key) {
		return new LeaseRequest(dialect + key, LEASE, LockType.EXCLUSIVE, 1, System.nanoTime() + Session.NEVER_NANOS, 1,
				LOOK);
	}

	private LockProvider provider(DataSource database, JdbcDialect dialect) {
		return open(JdbcLocks.provider(database,
				Databases.settings(dialect)
					.withStrategy(JdbcLockStrategy.ADVISORY)
					.withMaxLockConnections(CONNECTIONS)
					.withCommandTimeout(Duration.ofSeconds(3))));
	}

	private HikariDataSource pool(JdbcDialect dialect) {
		return open(switch (dialect) {
			case POSTGRESQL -> Databases.pool(postgres.url(), "postgres", "", 10);
			// whose statements bring other types of numbers
			case MYSQL -> Databases.pool(mySql.get().url("useServerPrepStmts=true"), "app", "secret", 10);
			default -> Databases.pool(mariaDb.url(), "app", "secret", 10);
		});
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	/**
	 * A call of a proxy.
	 */
	@FunctionalInterface
	private interface Call {

		Object of(Method method, Object[] arguments) throws Exception;

	}

}
