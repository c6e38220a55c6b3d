package io.distributedlock.jdbc.internal.session;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.PostgresTestServer;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.test.patience.Patience;
import io.distributedlock.test.server.MySqlFamilyServer;
import io.distributedlock.test.server.MySqlTestServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class RowLocksTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	@BeforeAll
	static void unpack() {
		MySqlTestServer.unpack();
	}

	/**
	 * As when the holder's machine is cut off or stands still.
	 */
	@Test
	void serverEndsARowLockWhoseHolderIsSilentOnPostgres() throws SQLException {
		try (PostgresTestServer postgres = PostgresTestServer.run()) {
			Databases.createSchema(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
			silentHolderIsCutOff(JdbcDialect.POSTGRESQL, postgres.url(), "postgres", "");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "MARIADB", "MYSQL" })
	void serverEndsARowLockWhoseHolderIsSilent(JdbcDialect dialect) throws SQLException {
		try (MySqlFamilyServer server = Databases.run(dialect)) {
			silentHolderIsCutOff(dialect, server.url(), "app", "secret");
		}
	}

	/**
	 * A rollback of H2 may put a row back once more while the file is written, and so end
	 * the lock of the next holder.
	 */
	@Test
	void fileOfH2HasOneHolder(@TempDir Path folder) throws Exception {
		String url = "jdbc:h2:%s/locks;WRITE_DELAY=0".formatted(folder);
		Databases.createSchema(JdbcDialect.H2, url, "sa", "");
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger left = new AtomicInteger(1500);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try (HikariDataSource pool = Databases.pool(url, "sa", "", 4);
				JdbcCalls calls = Databases.calls(pool, Databases.settings(JdbcDialect.H2))) {
			CompletableFuture
				.allOf(IntStream.range(0, 4)
					.mapToObj((i) -> CompletableFuture.runAsync(() -> holdAgainAndAgain(calls, left, holders), threads))
					.toArray(CompletableFuture<?>[]::new))
				.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void holdAgainAndAgain(JdbcCalls calls, AtomicInteger left, AtomicInteger holders) {
		RowLocks rows = new RowLocks(calls.dialect());
		try (Session session = calls.open(System.nanoTime() + Session.NEVER_NANOS)) {
			while (left.get() > 0) {
				if (rows.lock(session, "k", LONG, Duration.ZERO) != 0) {
					assertThat(holders.incrementAndGet()).isOne();
					left.decrementAndGet();
					LockSupport.parkNanos(100_000);
					holders.decrementAndGet();
					rows.free(session, "k");
				}
				session.connection().setAutoCommit(true);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void silentHolderIsCutOff(JdbcDialect dialect, String url, String user, String password)
			throws SQLException {
		RowLocks rows = new RowLocks(Databases.sql(dialect));
		long never = System.nanoTime() + Session.NEVER_NANOS;
		JdbcLockSettings settings = JdbcLockSettings.of(dialect).withCommandTimeout(Duration.ofSeconds(20));
		try (HikariDataSource pool = Databases.pool(url, user, password, 2);
				JdbcCalls calls = Databases.calls(pool, settings);
				Session holder = calls.open(never);
				Session other = calls.open(never)) {
			assertThat(rows.lock(holder, "k", Duration.ofSeconds(3), Duration.ZERO)).isNotZero();
			assertThat(rows.lock(other, "k", LONG, Duration.ZERO)).isZero();
			Patience.await().until(() -> rows.lock(other, "k", LONG, Duration.ZERO) != 0);
			rows.free(other, "k");
			other.connection().setAutoCommit(true);
		}
	}

}
