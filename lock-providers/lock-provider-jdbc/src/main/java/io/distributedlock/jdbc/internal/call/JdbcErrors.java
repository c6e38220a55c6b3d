package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Translates the failure of a call to a database: what happened, what to do, and whether
 * another attempt may succeed. Remembers why there was no connection the last time: a
 * caller that gives up before the pool does is told that reason.
 */
public final class JdbcErrors {

	/**
	 * From the narrowest meaning to the widest: a code may belong to several. The words
	 * take the SQL state, the code, and what is said of the network.
	 */
	private static final List<Meaning> MEANINGS = List.of(
			permanent(SqlCodes::isDenied,
					"the database denies the user a right that locks need: see the least rights in "
							+ "docs/providers/jdbc.md"),
			retryable(SqlCodes::isCollision,
					"this statement collided with another one, and the database ended it (SQL state %1$s)"),
			retryable(SqlCodes::isReadOnly,
					"the database is read-only, as a standby or during a failover: check that the JDBC URL "
							+ "leads to the primary"),
			retryable(SqlCodes::isCancelled,
					"the database cancelled the statement, after a time-out of its own or at somebody's "
							+ "request (SQL state %1$s)"),
			retryable(SqlCodes::isConnectionProblem,
					"the database cannot be reached, or its connection pool gave no connection in time%3$s: "
							+ "check that the database runs, and the size of the pool"),
			retryable(SqlCodes::isInternalProblem,
					"the database reports a problem of its own (SQL state %1$s, code %2$s): see its log"),
			permanent((other) -> true, "the database answered with SQL state %1$s, code %2$s"));

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
		Meaning meaning = MEANINGS.stream().filter((each) -> each.applies.test(failure)).findFirst().orElseThrow();
		return new BackendException(
				meaning.words.formatted(SqlCodes.state(failure), failure.getErrorCode(), network(failure)),
				meaning.mayPass, cause);
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
	 * Return what the operating system and the driver say of the network, empty if that
	 * is not the cause. Of other failures a driver may say a URL with a password.
	 */
	private static String network(SQLException failure) {
		String words = Failures.ofConnection(failure);
		if (words.isEmpty()) {
			return words;
		}
		String system = words.substring(2, words.length() - 1);
		// the innermost is the driver's own
		String driver = SqlCodes.sqlExceptions(failure)
			.map(Throwable::getMessage)
			.filter(Objects::nonNull)
			.reduce("", (outer, inner) -> inner)
			.lines()
			.findFirst()
			.orElse("");
		// some drivers repeat those words with the address, MySQL's has neither
		return driver.contains(system) ? " (" + driver + ")" : " (" + system + ": " + driver + ")";
	}

	/**
	 * A pool may wrap the driver's exception into one of its own.
	 */
	private static @Nullable SQLException sqlException(Throwable failure) {
		return SqlCodes.sqlExceptions(failure).findFirst().orElse(null);
	}

	private static Meaning permanent(Predicate<SQLException> applies, String words) {
		return new Meaning(applies, false, words);
	}

	private static Meaning retryable(Predicate<SQLException> applies, String words) {
		return new Meaning(applies, true, words);
	}

	/**
	 * What a failure means.
	 *
	 * @param applies whether a failure means this
	 * @param mayPass whether another attempt may succeed
	 * @param words says what happened, and what to do
	 */
	private record Meaning(Predicate<SQLException> applies, boolean mayPass, String words) {
	}

}
