package io.distributedlock.jdbc.internal.signal;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.jdbc.PgConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listening goes on after a failure of the thread that listens.
 */
class PostgresReleasesTests {

	private final AtomicInteger connections = new AtomicInteger();

	private final AtomicInteger threads = new AtomicInteger();

	private final AtomicBoolean noMemory = new AtomicBoolean(true);

	private PostgresReleases releases;

	private JdbcCalls calls;

	@AfterEach
	void close() {
		this.releases.close();
		this.calls.close();
	}

	@Test
	void threadThatCouldNotBeStartedIsStartedForTheNextWaiter() {
		this.releases = releases((task) -> {
			this.threads.incrementAndGet();
			return new Thread(task, "test-listen") {

				@Override
				public synchronized void start() {
					if (PostgresReleasesTests.this.noMemory.get()) {
						// not an OutOfMemoryError, which would end the test run
						throw new InternalError("unable to create native thread");
					}
					super.start();
				}

			};
		}, new SQLException("there is no server", "08001"));
		this.releases.listen("k", () -> {
		});
		assertThat(this.threads).hasValue(1);
		this.noMemory.set(false);
		this.releases.listen("k", () -> {
		});
		Patience.await().until(() -> this.connections.get() > 0);
	}

	@Test
	void errorWhileListeningIsFollowedByAnotherTry() {
		this.releases = releases((task) -> {
			Thread thread = new Thread(task, "test-listen");
			thread.setDaemon(true);
			return thread;
		}, new NoClassDefFoundError("Driver"));
		this.releases.listen("k", () -> {
		});
		Patience.await().until(() -> this.connections.get() > 1);
	}

	/**
	 * In a pool it would listen for ever, and collect messages that nobody reads.
	 */
	@Test
	void connectionThatMayStillListenDoesNotGoBackToItsPool() throws SQLException {
		try (PostgresTestServer server = PostgresTestServer.run();
				HikariDataSource pool = Databases.pool(server.url(), "postgres", "", 1)) {
			Connection physical;
			try (Connection connection = pool.getConnection()) {
				physical = connection.unwrap(PgConnection.class);
			}
			this.calls = Databases.calls(pool, Databases.settings(JdbcDialect.POSTGRESQL));
			this.releases = new PostgresReleases(this.calls);
			Thread caller = Thread.currentThread();
			this.releases.listen("k", () -> {
				if (Thread.currentThread() != caller) {
					throw new NoClassDefFoundError("Listener");
				}
			});
			Patience.await().until(physical::isClosed);
		}
	}

	private PostgresReleases releases(ThreadFactory factory, Throwable refusal) {
		DataSource unwilling = (DataSource) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
					this.connections.incrementAndGet();
					throw refusal;
				});
		this.calls = Databases.calls(unwilling, Databases.settings(JdbcDialect.POSTGRESQL));
		return new PostgresReleases(this.calls, factory);
	}

}
