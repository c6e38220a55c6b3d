package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;

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
