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
import java.util.stream.Stream;

import javax.sql.DataSource;

/**
 * Creates what locks need in a database. The same statements are resources on the class
 * path, for tools that manage a schema.
 *
 * @since 0.1
 */
public final class JdbcLockSchema {

	private JdbcLockSchema() {
	}

	/**
	 * Create the tables and the sequence, unless they are there.
	 * @param dataSource the database
	 * @param dialect what it speaks
	 * @throws IllegalStateException if the database refuses a statement
	 */
	public static void create(DataSource dataSource, JdbcDialect dialect) {
		String current = "";
		try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
			for (String sql : statements(dialect)) {
				current = sql;
				statement.execute(sql);
			}
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(
					"The schema of locks could not be created from %s, at: %s".formatted(dialect.schema(), current),
					ex);
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
