package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.jdbc.internal.call.JdbcErrors;
import io.distributedlock.jdbc.internal.call.SqlCodes;

/**
 * Creates the tables and the sequence that locks need. The same statements are resources
 * on the class path, for tools that manage a schema.
 *
 * @since 0.1
 */
public final class JdbcLockSchema {

	/**
	 * How often a statement is tried that meets one of another node. The pauses grow to
	 * 0.4 s, so a node tries for about two seconds: longer than other nodes need.
	 */
	private static final int TRIES = 20;

	private JdbcLockSchema() {
	}

	/**
	 * Create the tables and the sequence, unless they are there. Several nodes may do so
	 * at the same time.
	 * @param dataSource the database
	 * @param dialect its dialect
	 * @throws IllegalStateException if the database refuses a statement
	 */
	public static void create(DataSource dataSource, JdbcDialect dialect) {
		String current = "";
		try (Connection connection = dataSource.getConnection()) {
			boolean autoCommit = connection.getAutoCommit();
			if (!autoCommit) {
				// a statement that fails must not undo those before it
				connection.setAutoCommit(true);
			}
			for (String sql : statements(dialect)) {
				current = sql;
				execute(connection, sql);
			}
			if (!autoCommit) {
				connection.setAutoCommit(false);
			}
		}
		catch (SQLException ex) {
			String refusal = JdbcErrors.refusal(ex);
			throw new IllegalStateException((refusal != null) ? "The schema of locks could not be created: " + refusal
					: "The schema of locks could not be created from %s, at: %s".formatted(dialect.schema(), current),
					ex);
		}
	}

	/**
	 * Execute a statement. "If not exists" reads before it creates, and two nodes may
	 * read at the same moment: then one of them tries again. Without a time-out, as a
	 * statement that changes a schema may have to wait for others.
	 */
	private static void execute(Connection connection, String sql) throws SQLException {
		for (int attempt = 1;; attempt++) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
				return;
			}
			catch (SQLException ex) {
				if (attempt == TRIES || !(SqlCodes.isThereAlready(ex) || SqlCodes.isCollision(ex))) {
					throw ex;
				}
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 20_000_000L * attempt));
			}
		}
	}

	private static List<String> statements(JdbcDialect dialect) {
		try (InputStream in = Objects
			.requireNonNull(JdbcLockSchema.class.getClassLoader().getResourceAsStream(dialect.schema()))) {
			String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
			return Stream.of(script.split(";", -1)).map(String::trim).filter((sql) -> !sql.isEmpty()).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
