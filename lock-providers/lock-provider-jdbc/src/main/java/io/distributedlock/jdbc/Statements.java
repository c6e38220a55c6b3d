package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * Executes statements with a time-out.
 *
 * @param timeoutSeconds how long one may take
 */
record Statements(int timeoutSeconds) {

	int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(connection, sql, parameters)) {
			return statement.executeUpdate();
		}
	}

	/**
	 * Return the number in the first column of the first row, zero where there is none.
	 */
	long number(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(connection, sql, parameters);
				ResultSet result = statement.executeQuery()) {
			return result.next() ? result.getLong(1) : 0;
		}
	}

	/**
	 * Return the text in the first column of the first row, {@code null} where there is
	 * none.
	 */
	@Nullable String text(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement statement = prepare(connection, sql, parameters);
				ResultSet result = statement.executeQuery()) {
			return result.next() ? result.getString(1) : null;
		}
	}

	PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql);
		statement.setQueryTimeout(this.timeoutSeconds);
		for (int i = 0; i < parameters.length; i++) {
			statement.setObject(i + 1, parameters[i]);
		}
		return statement;
	}

}
