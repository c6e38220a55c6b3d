package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure of a database means. Remembers why the last connection was not
 * available: who waits for one, and gives up before the pool does, is told the reason.
 */
final class JdbcErrors {

	/**
	 * Serialization failure and deadlock are all of class 40. Lock time-outs of
	 * PostgreSQL.
	 */
	private static final Set<String> COLLISION_STATES = Set.of("55P03");

	/**
	 * Deadlock, lock time-out and a record that has changed on MariaDB and MySQL; lock
	 * time-out, deadlock and concurrent update on H2.
	 */
	private static final Set<Integer> COLLISION_CODES = Set.of(1213, 1205, 1020, 50200, 40001, 90131);

	/**
	 * Cancelled by a time-out or by somebody: PostgreSQL, MariaDB and MySQL, H2.
	 */
	private static final Set<String> CANCELLED_STATES = Set.of("57014", "70100", "HYT00");

	private static final Set<Integer> CANCELLED_CODES = Set.of(3024, 57014);

	/**
	 * Options that forbid writing on MariaDB and MySQL; a database that is read-only on
	 * H2.
	 */
	private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1836, 90097);

	private final JdbcDialect dialect;

	private final Duration commandTimeout;

	private volatile @Nullable SQLException notConnected;

	JdbcErrors(JdbcDialect dialect, Duration commandTimeout) {
		this.dialect = dialect;
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Note that a connection was had.
	 */
	void connected() {
		if (this.notConnected != null) {
			this.notConnected = null;
		}
	}

	/**
	 * Note that no connection was available.
	 */
	void notConnected(Throwable failure) {
		SQLException cause = sqlException(failure);
		if (cause != null && !(cause instanceof Session.GivenUpException)) {
			this.notConnected = cause;
		}
	}

	BackendException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof BackendException backendException) {
			return backendException;
		}
		if (cause instanceof TimeoutException || cause instanceof Session.GivenUpException) {
			return unanswered(cause);
		}
		SQLException sqlException = sqlException(cause);
		if (sqlException == null) {
			return new BackendException("the call to the database failed with " + cause.getClass().getSimpleName(),
					false, cause);
		}
		return translate(sqlException, cause);
	}

	private BackendException unanswered(Throwable cause) {
		SQLException refusal = this.notConnected;
		if (refusal != null) {
			BackendException reason = translate(refusal, refusal);
			if (!reason.isRetryable()) {
				return reason;
			}
		}
		return new BackendException(
				"the database did not answer within %d ms: check that it runs, and that its connection pool is not exhausted"
					.formatted(this.commandTimeout.toMillis()),
				true, cause);
	}

	private BackendException translate(SQLException failure, Throwable cause) {
		String state = state(failure);
		int code = failure.getErrorCode();
		if (state.equals("42P01") || state.equals("42S02") || state.equals("42S04") || state.equals("42P02")) {
			return new BackendException(
					"a table of locks is missing: run the statements of %s, or set lock.jdbc.initialize-schema=always"
						.formatted(this.dialect.schema()),
					false, cause);
		}
		String refusal = refusal(failure);
		if (refusal != null) {
			return new BackendException(refusal, false, cause);
		}
		if (state.equals("42501") || code == 1142 || code == 90096) {
			return new BackendException(
					"the database denies the user a right that locks need: see the least rights in docs/providers/jdbc.md",
					false, cause);
		}
		if (isCollision(failure)) {
			return new BackendException(
					"the database chose this statement as the victim of a collision (%s)".formatted(state), true,
					cause);
		}
		if (state.equals("25006") || READ_ONLY_CODES.contains(code)) {
			return new BackendException(
					"the database is read-only, as a standby is, or one that fails over: check that the URL leads to the primary",
					true, cause);
		}
		if (CANCELLED_STATES.contains(state) || CANCELLED_CODES.contains(code)) {
			return new BackendException(
					"the database cancelled the statement (%s), by its own time-out or because somebody told it to"
						.formatted(state),
					true, cause);
		}
		if (isConnectionProblem(failure)) {
			return new BackendException(
					"the database cannot be reached, or its pool gave no connection in time: check that it runs and the size of the pool",
					true, cause);
		}
		return (state.startsWith("53") || state.startsWith("58") || state.equals("HY000")) ? new BackendException(
				"the database is in trouble (SQL state %s, code %d): see its log".formatted(state, code), true, cause)
				: new BackendException("the database answered with SQL state %s, code %d".formatted(state, code), false,
						cause);
	}

	/**
	 * Return what a database says to somebody it does not let in, {@code null} if it is
	 * something else.
	 */
	static @Nullable String refusal(Throwable failure) {
		SQLException sqlException = sqlException(failure);
		if (sqlException == null) {
			return null;
		}
		String state = state(sqlException);
		int code = code(sqlException);
		if (state.equals("3D000") || code == 1049 || code == 90146 || code == 90149) {
			return "there is no such database: check its name in the JDBC URL";
		}
		if (code == 1044) {
			return "the user has no right to this database: check its name in the JDBC URL, and the user's rights";
		}
		if (state.startsWith("28") || code == 1045 || code == 1698) {
			return "the database refuses the credentials: check the user name and the password";
		}
		return null;
	}

	/**
	 * Return whether another statement was in the way, and the same one may succeed at
	 * once.
	 */
	static boolean isCollision(SQLException failure) {
		String state = state(failure);
		return state.startsWith("40") || COLLISION_STATES.contains(state)
				|| COLLISION_CODES.contains(failure.getErrorCode());
	}

	static boolean isDuplicate(SQLException failure) {
		return failure instanceof SQLIntegrityConstraintViolationException || state(failure).startsWith("23");
	}

	/**
	 * Return whether something was to be created that another one has just created.
	 */
	static boolean isThereAlready(SQLException failure) {
		String state = state(failure);
		return isDuplicate(failure) || state.equals("42P07") || state.equals("42710") || state.equals("42S01")
				|| state.equals("90035")
				// H2, where two create a sequence at the same moment
				|| (failure.getErrorCode() == 50000 && String.valueOf(failure.getMessage()).contains("already exists"));
	}

	/**
	 * Return whether it was the connection that failed, and not a statement.
	 */
	static boolean isConnectionProblem(SQLException failure) {
		if (failure instanceof Session.GivenUpException) {
			return false;
		}
		String state = state(failure);
		// 25P: PostgreSQL or its driver finds the transaction in another state than it
		// was
		// left in
		return state.startsWith("08") || state.startsWith("57P") || state.equals("53300") || state.startsWith("25P")
				|| failure instanceof SQLTransientException || failure instanceof SQLRecoverableException
				|| failure instanceof SQLNonTransientConnectionException || state.startsWith("90");
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

	private static int code(SQLException failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof SQLException sqlException && sqlException.getErrorCode() != 0) {
				return sqlException.getErrorCode();
			}
		}
		return 0;
	}

	/**
	 * A pool may wrap what the driver says into an exception of its own.
	 */
	private static @Nullable SQLException sqlException(Throwable failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (each instanceof SQLException sqlException) {
				return sqlException;
			}
		}
		return null;
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
