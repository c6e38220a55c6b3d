package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import io.distributedlock.spi.BackendException;

/**
 * Says what a failure of a database means.
 */
final class JdbcErrors {

	private final JdbcDialect dialect;

	private final Duration commandTimeout;

	JdbcErrors(JdbcDialect dialect, Duration commandTimeout) {
		this.dialect = dialect;
		this.commandTimeout = commandTimeout;
	}

	BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof TimeoutException) {
			return new BackendException(
					"the database did not answer within %d ms: check that it runs, and that its connection pool is not exhausted"
						.formatted(this.commandTimeout.toMillis()),
					true, cause);
		}
		if (!(cause instanceof SQLException sqlException)) {
			return new BackendException("the call to the database failed with " + cause.getClass().getSimpleName(),
					false, cause);
		}
		String state = state(sqlException);
		if (state.equals("42P01") || state.equals("42S02") || state.equals("42S04") || state.equals("42P02")) {
			return new BackendException(
					"a table of locks is missing: run the statements of %s, or set lock.jdbc.initialize-schema=always"
						.formatted(this.dialect.schema()),
					false, cause);
		}
		if (state.startsWith("28") || sqlException.getErrorCode() == 1045) {
			return new BackendException("the database refuses the credentials: check the user name and the password",
					false, cause);
		}
		if (state.equals("42501") || sqlException.getErrorCode() == 1142 || sqlException.getErrorCode() == 90096) {
			return new BackendException(
					"the database denies the user a right that locks need: see the least rights in docs/providers/jdbc.md",
					false, cause);
		}
		if (isCollision(sqlException)) {
			return new BackendException(
					"the database chose this statement as the victim of a collision (%s)".formatted(state), true,
					cause);
		}
		if (isConnectionProblem(sqlException)) {
			return new BackendException(
					"the database cannot be reached, or its pool gave no connection in time: check that it runs and the size of the pool",
					true, cause);
		}
		return new BackendException("the database answered with SQL state " + state, false, cause);
	}

	/**
	 * Return whether another statement was in the way, and the same one may succeed at
	 * once.
	 */
	static boolean isCollision(SQLException failure) {
		String state = state(failure);
		// serialization failure, deadlock; lock wait time-outs of MariaDB and H2
		return state.startsWith("40") || failure.getErrorCode() == 1213 || failure.getErrorCode() == 1205
				|| failure.getErrorCode() == 1020 || failure.getErrorCode() == 50200 || failure.getErrorCode() == 90131;
	}

	static boolean isDuplicate(SQLException failure) {
		return failure instanceof SQLIntegrityConstraintViolationException || state(failure).startsWith("23");
	}

	private static boolean isConnectionProblem(SQLException failure) {
		String state = state(failure);
		return state.startsWith("08") || state.startsWith("57P") || state.equals("53300")
				|| failure instanceof SQLTransientException || failure instanceof java.sql.SQLRecoverableException
				|| failure instanceof java.sql.SQLNonTransientConnectionException || state.startsWith("90")
				|| state.equals("HY000");
	}

	private static String state(SQLException failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof SQLException sqlException && sqlException.getSQLState() != null
					&& !sqlException.getSQLState().isEmpty()) {
				return sqlException.getSQLState();
			}
		}
		return "";
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
