package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.network.TcpProxy.Direction;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.jdbc.Databases.get;

/**
 * Nodes that are cut off in the middle of a call, after each of its steps, while the
 * server goes on waiting for them: they keep nobody else out for longer than their lease
 * and a command time-out.
 */
@Execution(ExecutionMode.CONCURRENT)
class JdbcCutOffTests {

	private static final int STEPS = 6;

	private static final Duration LEASE = Duration.ofSeconds(2);

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

	@Test
	void onPostgres() {
		Database database = postgres();
		cutOff(database, JdbcLockStrategy.ROW, List.of(LockType.SEMAPHORE));
		cutOff(database, JdbcLockStrategy.FOR_UPDATE, List.of(LockType.EXCLUSIVE));
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void onTheFamilyOfMySql(JdbcDialect dialect) {
		Database database = familyOfMySql(dialect);
		cutOff(database, JdbcLockStrategy.ROW, List.of(LockType.SEMAPHORE));
		cutOff(database, JdbcLockStrategy.FOR_UPDATE, List.of(LockType.EXCLUSIVE));
	}

	/**
	 * Without readers and permits: H2 has no limit after which it ends a silent
	 * connection.
	 */
	@Test
	void onH2() {
		H2TestServer server = open(H2TestServer.run());
		Databases.createSchema(JdbcDialect.H2, server.url(), "sa", "");
		Database database = new Database(JdbcDialect.H2, server.port(), server.url(), "sa", "");
		cutOff(database, JdbcLockStrategy.ROW, List.of(LockType.EXCLUSIVE, LockType.FAIR));
	}

	/**
	 * A pool opens one connection at a time. H2's driver has no limit for that.
	 */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL" })
	void connectionThatFallsSilentWhileItIsOpenedIsGivenUp(JdbcDialect dialect) {
		Database database = (dialect == JdbcDialect.POSTGRESQL) ? postgres() : familyOfMySql(dialect);
		TcpProxy proxy = open(new TcpProxy(database.port));
		// the driver of PostgreSQL has a limit for the answer about TLS
		String url = database.url.replace(":" + database.port, ":" + proxy.port())
				+ ((dialect == JdbcDialect.POSTGRESQL) ? "?sslmode=disable" : "");
		LockProvider provider = provider(dialect, JdbcLockStrategy.ROW, pool(database, url, 5));
		LeaseRequest request = request("silent", LockType.EXCLUSIVE);
		Patience.await().ignoreExceptions().until(() -> get(get(provider.tryAcquire(request)).release()));
		proxy.delay(Direction.REPLIES, Duration.ofMillis(500));
		proxy.cut();
		provider.tryAcquire(request);
		Patience.await("connection that is opened").until(() -> !proxy.connections().isEmpty());
		proxy.connections().forEach((connection) -> connection.drop(Direction.REPLIES));
		proxy.delay(Direction.REPLIES, Duration.ZERO);
		Patience.await("another connection").ignoreExceptions().until(() -> get(provider.tryAcquire(request)) != null);
	}

	private void cutOff(Database database, JdbcLockStrategy strategy, List<LockType> types) {
		LockProvider other = provider(database.dialect, strategy, pool(database, database.url, 10));
		List<LeaseRequest> requests = new ArrayList<>();
		List<TcpProxy> proxies = new ArrayList<>();
		for (LockType type : types) {
			for (int step = 0; step < STEPS; step++) {
				LeaseRequest request = request("k%s%s%s".formatted(strategy, type, step), type);
				requests.add(request);
				TcpProxy proxy = open(new TcpProxy(database.port));
				proxies.add(proxy);
				String url = database.url.replace(":" + database.port, ":" + proxy.port());
				LockProvider cutOff = provider(database.dialect, strategy, pool(database, url, 1));
				// then the provider has its connection, and the row is there
				Patience.await().ignoreExceptions().until(() -> get(get(cutOff.tryAcquire(request)).release()));
				proxy.blackHoleAt(Direction.REPLIES, step);
				if (cutOff instanceof LockQueue queue && queue.queues(type)) {
					queue.enqueue(request);
				}
				else {
					cutOff.tryAcquire(request);
				}
			}
		}
		for (LeaseRequest request : requests) {
			Patience.await("another owner of %s".formatted(request.key()))
				.ignoreExceptions()
				.until(() -> get(other.tryAcquire(request)) != null);
		}
		proxies.forEach(TcpProxy::heal);
	}

	private Database postgres() {
		PostgresTestServer server = open(PostgresTestServer.run());
		Databases.createSchema(JdbcDialect.POSTGRESQL, server.url(), "postgres", "");
		return new Database(JdbcDialect.POSTGRESQL, server.port(), server.url(), "postgres", "");
	}

	private Database familyOfMySql(JdbcDialect dialect) {
		MySqlFamilyServer server = open(Databases.run(dialect));
		return new Database(dialect, server.port(), server.url(), "app", "secret");
	}

	private static LeaseRequest request(String key, LockType type) {
		return new LeaseRequest(key, LEASE, type);
	}

	private LockProvider provider(JdbcDialect dialect, JdbcLockStrategy strategy, HikariDataSource pool) {
		return open(JdbcLocks.provider(pool,
				JdbcLockSettings.of(dialect).withStrategy(strategy).withCommandTimeout(Duration.ofSeconds(2))));
	}

	private HikariDataSource pool(Database database, String url, int size) {
		HikariDataSource pool = open(Databases.pool(url, database.user, database.password, size));
		// also the limit for a connection that is opened
		pool.setConnectionTimeout(5000);
		return pool;
	}

	private <T extends AutoCloseable> T open(T closeable) {
		this.opened.add(closeable);
		return closeable;
	}

	private record Database(JdbcDialect dialect, int port, String url, String user, String password) {
	}

}
