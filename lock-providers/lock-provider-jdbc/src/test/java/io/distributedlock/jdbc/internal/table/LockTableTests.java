package io.distributedlock.jdbc.internal.table;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import io.distributedlock.LockType;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlCodes;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockTableTests {

	/**
	 * A renewal that was sent in time may be executed after the lease has expired in the
	 * database.
	 */
	@Test
	void versionThatWasReadBeforeALateRenewalIsNotTaken() throws SQLException {
		String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
		Databases.createSchema(JdbcDialect.H2, url, "sa", "");
		LockTable table = new LockTable(SqlDialect.H2);
		Duration lease = Duration.ofSeconds(60);
		LeaseRequest second = new LeaseRequest("k", lease, LockType.EXCLUSIVE);
		try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
			Session session = Session.on(connection);
			table.insert(session, new LeaseRequest("k", Duration.ofMillis(1), LockType.EXCLUSIVE), "first");
			Patience.await().until(() -> table.read(session, "k").free());
			LockTable.Version seen = table.read(session, "k");
			assertThat(table.renew(session, "k", "first", lease)).isTrue();
			assertThat(table.takeIfVersionIs(session, second, seen.token(), "second")).isFalse();
			table.release(session, "k", "first");
			assertThat(table.takeIfVersionIs(session, second, seen.token(), "second")).isTrue();
		}
	}

	/**
	 * A sweep may delete a row that was just inserted, so that the next statement misses
	 * it, too.
	 */
	@Test
	void callThatMissesARowIsTriedAgain() {
		assertThat(SqlCodes.isCollision(new MissingRowException())).isTrue();
	}

}
