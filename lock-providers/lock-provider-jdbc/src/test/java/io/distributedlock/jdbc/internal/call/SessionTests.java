package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.Databases;
import io.distributedlock.jdbc.H2TestServer;
import io.distributedlock.test.network.TcpProxy;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SessionTests {

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

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

}
