package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Translates the failure of a call to a database: what happened, what to do, and whether
 * another attempt may succeed. Remembers why there was no connection the last time: a
 * caller that gives up before the pool does is told that reason.
 */
public final class JdbcErrors {

	private final SqlDialect dialect;

	private final Duration commandTimeout;

	private volatile @Nullable SQLException notConnected;

	JdbcErrors(SqlDialect dialect, Duration commandTimeout) {
		this.dialect = dialect;
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Note that the pool gave a connection.
	 */
	void connected() {
		this.notConnected = null;
	}

	/**
	 * Note that the pool gave no connection.
	 */
	void notConnected(Throwable failure) {
		SQLException cause = sqlException(failure);
		if (cause != null && !(cause instanceof Session.GivenUpException)) {
			this.notConnected = cause;
		}
	}

	BackendException translate(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
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
			return translate(refusal, refusal);
		}
		return new BackendException(
				("the database did not answer within %s ms: check that it runs, and that its connection "
						+ "pool is not exhausted")
					.formatted(this.commandTimeout.toMillis()),
				true, cause);
	}

	/**
	 * From the narrowest meaning to the widest: a code may belong to several.
	 */
	private BackendException translate(SQLException failure, Throwable cause) {
		if (SqlCodes.isMissingTable(failure)) {
			return new BackendException(
					"a table of locks is missing: run the statements of %s, or set lock.jdbc.initialize-schema=always"
						.formatted(this.dialect.schema()),
					false, cause);
		}
		String refusal = refusal(failure);
		if (refusal != null) {
			return new BackendException(refusal, false, cause);
		}
		if (SqlCodes.isDenied(failure)) {
			return new BackendException("the database denies the user a right that locks need: see the least rights in "
					+ "docs/providers/jdbc.md", false, cause);
		}
		String state = SqlCodes.state(failure);
		if (SqlCodes.isCollision(failure)) {
			return new BackendException(
					"this statement collided with another one, and the database ended it (SQL state %s)"
						.formatted(state),
					true, cause);
		}
		if (SqlCodes.isReadOnly(failure)) {
			return new BackendException(
					"the database is read-only, as a standby or during a failover: check that the JDBC URL "
							+ "leads to the primary",
					true, cause);
		}
		if (SqlCodes.isCancelled(failure)) {
			return new BackendException(
					("the database cancelled the statement, after a time-out of its own or at somebody's "
							+ "request (SQL state %s)")
						.formatted(state),
					true, cause);
		}
		if (SqlCodes.isConnectionProblem(failure)) {
			return new BackendException(
					("the database cannot be reached, or its connection pool gave no connection in time%s: "
							+ "check that the database runs, and the size of the pool")
						.formatted(network(failure)),
					true, cause);
		}
		if (SqlCodes.isInternalProblem(failure)) {
			return new BackendException("the database reports a problem of its own (SQL state %s, code %s): see its log"
				.formatted(state, failure.getErrorCode()), true, cause);
		}
		return new BackendException(
				"the database answered with SQL state %s, code %s".formatted(state, failure.getErrorCode()), false,
				cause);
	}

	/**
	 * Return why a database does not let the user in, {@code null} if it failed for
	 * another reason.
	 */
	public static @Nullable String refusal(Throwable failure) {
		SQLException sqlException = sqlException(failure);
		if (sqlException == null) {
			return null;
		}
		if (SqlCodes.isMissingDatabase(sqlException)) {
			return "there is no such database: check its name in the JDBC URL";
		}
		if (SqlCodes.isDatabaseDenied(sqlException)) {
			return "the user has no right to this database: check its name in the JDBC URL, and the user's rights";
		}
		if (SqlCodes.isWrongLogin(sqlException)) {
			return "the database refuses the credentials: check the user name and the password";
		}
		return null;
	}

	/**
	 * Return what the driver says of the network, empty if that is not the cause. Of
	 * other failures it may say a URL with a password.
	 */
	private static String network(SQLException failure) {
		String words = Failures.ofConnection(failure);
		if (!words.isEmpty()) {
			// the innermost is the driver's own
			words = SqlCodes.sqlExceptions(failure)
				.map(Throwable::getMessage)
				.filter(Objects::nonNull)
				.reduce((outer, inner) -> inner)
				.map((message) -> " (" + message.lines().findFirst().orElse("") + ")")
				.orElse(words);
		}
		return words;
	}

	/**
	 * A pool may wrap the driver's exception into one of its own.
	 */
	private static @Nullable SQLException sqlException(Throwable failure) {
		return SqlCodes.sqlExceptions(failure).findFirst().orElse(null);
	}

}
