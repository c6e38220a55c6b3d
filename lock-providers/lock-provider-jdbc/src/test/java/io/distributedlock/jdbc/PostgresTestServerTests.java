package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

@EnabledOnOs(OS.LINUX)
@Timeout(180)
class PostgresTestServerTests {

	private static final Duration SOON = Duration.ofSeconds(50);

	@Test
	void suspendedServerIsRestartedAndCrashedAndClosed() throws SQLException {
		PostgresTestServer server = PostgresTestServer.run();
		try (Connection connection = DriverManager.getConnection(server.url(), "postgres", "")) {
			ProcessHandle backend = ProcessHandle.of(ask(connection, "select pg_backend_pid()")).orElseThrow();
			server.suspend();
			// a zombie, until the server goes on
			backend.destroyForcibly();
			assertTimeoutPreemptively(SOON, server::suspend);
		}
		assertTimeoutPreemptively(SOON, server::restart);
		assertAnswers(server);
		server.suspend();
		assertTimeoutPreemptively(SOON, server::crash);
		assertAnswers(server);
		server.suspend();
		assertTimeoutPreemptively(SOON, server::close);
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> assertAnswers(server));
	}

	private static void assertAnswers(PostgresTestServer server) throws SQLException {
		try (Connection connection = DriverManager.getConnection(server.url() + "?socketTimeout=10", "postgres", "")) {
			assertThat(ask(connection, "select 1")).isOne();
		}
	}

	private static long ask(Connection connection, String question) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet answer = statement.executeQuery(question)) {
			assertThat(answer.next()).isTrue();
			return answer.getLong(1);
		}
	}

}
