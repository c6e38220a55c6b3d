package io.distributedlock.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.session.SessionLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that stands still, and connections that fall silent, for longer than a command
 * may take and than a lease lasts.
 */
@Execution(ExecutionMode.CONCURRENT)
class JdbcStallTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration LONG = Duration.ofMinutes(10);

	private final List<AutoCloseable> opened = new ArrayList<>();

	@BeforeAll
	static void unpack() {
		MySqlTestServer.unpack();
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void locksWorkAgainAfterTheServerStoodStill(JdbcDialect dialect) {
		MySqlFamilyServer server = open(Databases.run(dialect));
		stall(dialect, pool(server.url(), "app", "secret"), server::suspend, server::resume);
	}

	@Test
	void locksWorkAgainAfterTheNetworkWasSilent() {
		PostgresTestServer server = open(PostgresTestServer.run());
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
		TcpProxy proxy = open(new TcpProxy(server.port()));
		stall(JdbcDialect.POSTGRESQL, pool(server.url(proxy.port()), "postgres", ""), proxy::blackHole, proxy::heal);
	}

	/**
	 * As after a firewall has dropped connections: those in use do not answer, new ones
	 * do.
	 */
	@Test
	void silentConnectionsDoNotDisableLocking() throws SQLException {
		PostgresTestServer server = open(PostgresTestServer.run());
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
		TcpProxy proxy = open(new TcpProxy(server.port()));
		silentConnections(JdbcDialect.POSTGRESQL, proxy, server.url(proxy.port()), server.url(), "postgres", "");
	}

	/**
	 * As on PostgreSQL.
	 */
	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void silentConnectionsDoNotDisableLockingInTheFamilyOfMySql(JdbcDialect dialect) throws SQLException {
		MySqlFamilyServer server = open(Databases.run(dialect));
		TcpProxy proxy = open(new TcpProxy(server.port()));
		String throughProxy = server.url().replace(":" + server.port(), ":" + proxy.port());
		silentConnections(dialect, proxy, throughProxy, server.url(), "app", "secret");
	}

	private void silentConnections(JdbcDialect dialect, TcpProxy proxy, String throughProxy, String url, String user,
			String password) throws SQLException {
		JdbcLockSettings settings = JdbcLockSettings.of(dialect).withCommandTimeout(COMMAND_TIMEOUT);
		Queue<Connection> silent = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < settings.threads(); i++) {
			// a pool of another test may have limited all logins of this JVM
			silent.add(open(Patience.await()
				.ignoreExceptionsInstanceOf(SQLException.class)
				.until(() -> DriverManager.getConnection(throughProxy, user, password), Objects::nonNull)));
		}
		proxy.blackHole();
		DataSource firstSilent = connections(silent, pool(url, user, password));
		LockProvider provider = open(JdbcLocks.provider(firstSilent, settings));
		List<CompletionStage<?>> calls = new ArrayList<>();
		for (int i = 0; i < settings.threads(); i++) {
			calls.add(provider.tryAcquire(request("silent" + i, LONG)));
		}
		calls.forEach((call) -> assertThat(ended(call)).isCompletedExceptionally());
		Patience.await().until(() -> {
			CompletableFuture<Lease> lease = ended(provider.tryAcquire(request("k", LONG)));
			return !lease.isCompletedExceptionally() && lease.join() != null;
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void sessionIsReturnedToThePoolAsItWas(JdbcDialect dialect) throws SQLException {
		MySqlFamilyServer server = open(Databases.run(dialect));
		HikariDataSource pool = open(
				Databases.pool(server.url("sessionVariables=wait_timeout=1234"), "app", "secret", 1));
		LockProvider provider = open(
				JdbcLocks.provider(pool, Databases.settings(dialect).withStrategy(JdbcLockStrategy.FOR_UPDATE)));
		for (int i = 0; i < 3; i++) {
			Lease lease = Objects.requireNonNull(get(provider.tryAcquire(request("k", LONG))));
			assertThat(get(lease.renew(LONG))).isNotNull();
			assertThat(get(lease.release())).isTrue();
			Patience.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
			try (Connection connection = pool.getConnection()) {
				assertThat(Session.on(connection).number("SELECT @@SESSION.wait_timeout")).isEqualTo(1234);
				assertThat(connection.getNetworkTimeout()).isZero();
				assertThat(connection.getAutoCommit()).isTrue();
			}
		}
	}

	/**
	 * All strategies and all calls in one stall.
	 */
	private void stall(JdbcDialect dialect, HikariDataSource pool, Runnable begin, Runnable end) {
		List<Node> nodes = new ArrayList<>();
		for (JdbcLockStrategy strategy : JdbcLockStrategy.values()) {
			nodes.add(new Node(strategy, open(JdbcLocks.provider(pool,
					JdbcLockSettings.of(dialect).withStrategy(strategy).withCommandTimeout(COMMAND_TIMEOUT)))));
		}
		nodes.forEach(Node::prepare);
		begin.run();
		nodes.forEach(Node::callAll);
		nodes.forEach(Node::awaitFailures);
		Patience.await().until(() -> nodes.stream().allMatch(Node::leasesAreOver));
		end.run();
		for (Node node : nodes) {
			// also what was asked for during the stall, with a lease that does not end
			// now
			for (String key : List.of("acquired", "renewed", "released")) {
				Lease lease = Patience.await("%s with %s".formatted(key, node.strategy))
					.ignoreExceptions()
					.until(() -> get(node.provider.tryAcquire(request(key + node.strategy, LONG))), Objects::nonNull);
				// the first answer may be late
				Patience.await().ignoreExceptions().until(() -> get(lease.release().thenApply((had) -> true)));
			}
			if (node.provider instanceof SessionLockProvider forUpdate) {
				Patience.await().until(() -> forUpdate.freeConnections() == 10);
			}
		}
		Patience.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	/**
	 * Hands out the given connections first.
	 */
	private static DataSource connections(Queue<Connection> first, DataSource then) {
		return (DataSource) Proxy.newProxyInstance(JdbcStallTests.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
					Connection connection = first.poll();
					try {
						return (connection != null) ? connection : method.invoke(then, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private static <T> CompletableFuture<T> ended(CompletionStage<T> stage) {
		CompletableFuture<T> future = stage.toCompletableFuture();
		Patience.await().until(future::isDone);
		return future;
	}

	private static LeaseRequest request(String key, Duration leaseTime) {
		return new LeaseRequest(key, leaseTime, LockType.EXCLUSIVE);
	}

	private HikariDataSource pool(String url, String user, String password) {
		HikariDataSource pool = open(Databases.pool(url, user, password, 20));
		pool.setConnectionTimeout(1000);
		pool.setValidationTimeout(500);
		return pool;
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	private static final class Node {

		private final JdbcLockStrategy strategy;

		private final LockProvider provider;

		private final List<Lease> leases = new ArrayList<>();

		private CompletableFuture<@Nullable Lease> acquisition;

		private CompletableFuture<@Nullable LeaseTerm> renewal;

		private CompletableFuture<Boolean> release;

		private Node(JdbcLockStrategy strategy, LockProvider provider) {
			this.strategy = strategy;
			this.provider = provider;
		}

		private void prepare() {
			for (String key : List.of("renewed", "released")) {
				this.leases.add(Patience.await()
					.ignoreExceptions()
					.until(() -> get(this.provider.tryAcquire(request(key + this.strategy, LEASE))), Objects::nonNull));
			}
		}

		private void callAll() {
			this.acquisition = this.provider.tryAcquire(request("acquired" + this.strategy, LONG))
				.toCompletableFuture();
			this.renewal = this.leases.get(0).renew(LEASE).toCompletableFuture();
			this.release = this.leases.get(1).release().toCompletableFuture();
		}

		/**
		 * On a busy machine a lease may be over before its call, which then asks nobody.
		 */
		private void awaitFailures() {
			assertThat(ended(this.acquisition)).isCompletedExceptionally();
			assertThat(ended(this.renewal).exceptionally((failure) -> null)).isCompletedWithValue(null);
			assertThat(ended(this.release).exceptionally((failure) -> false)).isCompletedWithValue(false);
		}

		private boolean leasesAreOver() {
			return this.leases.stream().allMatch((lease) -> lease.term().deadlineNanos() - System.nanoTime() < 0);
		}

	}

}
