package io.distributedlock.jdbc.internal.call;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.H2TestServer;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SessionTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * A pool does not know how H2 reports a broken connection, and does not test a
	 * connection for half a second after it was returned.
	 */
	@Test
	void connectionsThatBrokeAreNotUsedAgain() throws SQLException {
		long never = System.nanoTime() + Session.NEVER_NANOS;
		try (H2TestServer server = H2TestServer.run();
				TcpProxy proxy = new TcpProxy(server.port());
				HikariDataSource pool = Databases.pool(server.url(proxy.port()), "sa", "", 20)) {
			try (Session session = Session.open(pool, COMMAND_TIMEOUT, never)) {
				proxy.cut();
				assertThatExceptionOfType(SQLException.class).isThrownBy(() -> session.number("SELECT 1"))
					.satisfies(session::failed);
			}
			Patience.await()
				.pollInterval(Duration.ofMillis(10))
				.until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
			try (Session one = Session.open(pool, COMMAND_TIMEOUT, never);
					Session two = Session.open(pool, COMMAND_TIMEOUT, never);
					Session three = Session.open(pool, COMMAND_TIMEOUT, never)) {
				for (Session each : List.of(one, two, three)) {
					assertThat(each.number("SELECT 1")).isEqualTo(1);
				}
			}
		}
	}

	/**
	 * As the drivers of MySQL, MariaDB and H2 report a deadlock, a time-out of a
	 * statement, a row that has changed and a missing right.
	 */
	@ParameterizedTest
	@MethodSource
	void connectionIsBackAtOnceAfterAFailureOfItsStatement(SQLException failure) throws SQLException {
		try (HikariDataSource pool = Databases.pool("jdbc:h2:mem:", "sa", "", 1)) {
			try (Session session = Session.open(pool, COMMAND_TIMEOUT, System.nanoTime() + Session.NEVER_NANOS)) {
				session.failed(failure);
			}
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
		}
	}

	static List<SQLException> connectionIsBackAtOnceAfterAFailureOfItsStatement() {
		return List.of(new SQLTransactionRollbackException("deadlock", "40001", 1213), new SQLTimeoutException(),
				new SQLTimeoutException("time-out", "70100", 1969),
				new SQLTransientException("changed", "90131", 90131), new SQLException("denied", "90096", 90096));
	}

	/**
	 * The pool would warn of each call on it. It ends its connections itself when it is
	 * closed, as at a shutdown.
	 */
	@Test
	void connectionThatHasEndedIsReturnedAsItIs() throws SQLException {
		List<String> late = new CopyOnWriteArrayList<>();
		Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
		connection.setAutoCommit(false);
		DataSource dataSource = proxy(DataSource.class,
				(proxied, arguments) -> proxy(Connection.class, (each, values) -> {
					if (connection.isClosed()) {
						late.add(each.getName());
					}
					return each.invoke(connection, values);
				}));
		try (Session session = Session.open(dataSource, COMMAND_TIMEOUT, System.nanoTime() + Session.NEVER_NANOS)) {
			connection.close();
			session.abort();
		}
		Patience.await().until(() -> late.contains("close"));
		assertThat(late).doesNotContain("setAutoCommit");
	}

	/**
	 * As the pools of Tomcat and of DBCP say that they are exhausted.
	 */
	@Test
	void failureWithoutAStateIsThatOfAPool() {
		BackendException translated = new JdbcErrors(SqlDialect.H2, COMMAND_TIMEOUT)
			.translate(new SQLException("Timeout: Pool empty. Unable to fetch a connection in 30 seconds"));
		assertThat(translated).hasMessageContaining("its connection pool gave no connection in time");
		assertThat(translated.isRetryable()).isTrue();
	}

	/**
	 * Such as that a class of it is missing.
	 */
	@ParameterizedTest
	@CsvSource({ "unwrap,1", "getAutoCommit,1", "setNetworkTimeout,1", "setNetworkTimeout,2", "abort,1" })
	void errorOfADriverKeepsNoConnectionFromItsPool(String method, int call) throws SQLException {
		try (HikariDataSource pool = Databases.pool("jdbc:h2:mem:", "sa", "", 2)) {
			AtomicInteger calls = new AtomicInteger();
			Connection connection = pool.getConnection();
			DataSource once = proxy(DataSource.class,
					(proxied, arguments) -> proxy(Connection.class, (each, values) -> {
						if (each.getName().equals(method) && calls.incrementAndGet() == call) {
							throw new NoClassDefFoundError("com/example/driver/Codec");
						}
						return each.invoke(connection, values);
					}));
			try (Session session = Session.open(once, COMMAND_TIMEOUT, System.nanoTime() + Session.NEVER_NANOS)) {
				session.abort();
			}
			catch (NoClassDefFoundError ex) {
				assertThat(ex).hasMessageContaining("driver");
			}
			Patience.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
			assertThat(calls).hasValueGreaterThanOrEqualTo(call);
		}
	}

	@Test
	void errorsOfADriverKeepNoConnectionFromItsPoolWhileARowIsToBeLocked() {
		try (HikariDataSource pool = Databases.pool("jdbc:h2:mem:", "sa", "", 2)) {
			DataSource failing = proxy(DataSource.class, (proxied, arguments) -> {
				Connection connection = pool.getConnection();
				return proxy(Connection.class, (each, values) -> {
					if (Set.of("prepareStatement", "rollback").contains(each.getName())) {
						throw new NoClassDefFoundError("com/example/driver/Codec");
					}
					return each.invoke(connection, values);
				});
			});
			JdbcCalls calls = new JdbcCalls(failing, SqlDialect.H2, COMMAND_TIMEOUT, 2, 2, 1);
			SessionLockProvider provider = SessionLockProvider.ofRows(calls, 2, Duration.ofDays(1), null);
			assertThat(provider.tryAcquire(new LeaseRequest("k", Duration.ofSeconds(30), LockType.EXCLUSIVE)))
				.failsWithin(Patience.LIMIT);
			Patience.await()
				.until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0 && provider.freeConnections() == 2);
			provider.close();
		}
	}

	@SuppressWarnings("unchecked")
	private static <T> T proxy(Class<T> type, Call call) {
		return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> call.of(method, arguments));
	}

	/**
	 * A call of a proxy.
	 */
	@FunctionalInterface
	private interface Call {

		Object of(Method method, Object[] arguments) throws Exception;

	}

}
