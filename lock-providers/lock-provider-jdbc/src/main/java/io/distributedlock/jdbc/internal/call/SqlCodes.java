package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.stream.Stream;

import io.distributedlock.spi.support.Failures;

/**
 * Knows the SQL states and the vendor codes of the four databases. A state is asked for
 * where a database has one of its own for the case, a code where its state says too
 * little: MariaDB and MySQL use one state for many cases, and H2 mostly repeats its code.
 */
public final class SqlCodes {

	private static final Set<String> MISSING_TABLE_STATES = Set.of("42P01", "42S02", "42S04");

	private static final Set<Integer> COLLISION_CODES = Set.of(1213, 1205, 1020, 50200, 40001, 90131);

	private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1836, 90097);

	private static final Set<String> CANCELLED_STATES = Set.of("57014", "70100", "HYT00");

	private static final Set<Integer> CANCELLED_CODES = Set.of(3024, 57014);

	private static final Set<Integer> TOO_MANY_CONNECTIONS_CODES = Set.of(1203, 1226);

	private static final Set<Integer> NO_DATABASE_CODES = Set.of(1049, 90146, 90149);

	private static final Set<String> THERE_ALREADY_STATES = Set.of("42P07", "42710", "42S01", "90035");

	private SqlCodes() {
	}

	/**
	 * Return whether a table is missing. Not retryable: somebody has to create it.
	 * <ul>
	 * <li>42P01: PostgreSQL, undefined table</li>
	 * <li>42S02: MariaDB, MySQL and H2, table not found</li>
	 * <li>42S04: H2, table not found in a database without any table</li>
	 * </ul>
	 */
	static boolean isMissingTable(SQLException failure) {
		return MISSING_TABLE_STATES.contains(state(failure));
	}

	/**
	 * Return whether there is no database of that name. Not retryable: the URL is wrong.
	 * <ul>
	 * <li>3D000: PostgreSQL, invalid catalog name</li>
	 * <li>1049: MariaDB and MySQL, unknown database</li>
	 * <li>90146: H2, database not found, with {@code IFEXISTS}</li>
	 * <li>90149: H2, remote database not found, and the server does not create one</li>
	 * </ul>
	 */
	static boolean isMissingDatabase(SQLException failure) {
		return state(failure).equals("3D000") || NO_DATABASE_CODES.contains(code(failure));
	}

	/**
	 * Return whether the user may not use this database at all. Not retryable. 1044:
	 * MariaDB and MySQL, access to the database denied, also if there is none.
	 */
	static boolean isDatabaseDenied(SQLException failure) {
		return code(failure) == 1044;
	}

	/**
	 * Return whether the user name or the password is wrong. Not retryable.
	 * <ul>
	 * <li>class 28: invalid authorization, on all databases</li>
	 * <li>1045: MariaDB and MySQL, access denied</li>
	 * <li>1698: MariaDB and MySQL, access denied to a user without a password</li>
	 * </ul>
	 */
	static boolean isWrongLogin(SQLException failure) {
		int code = code(failure);
		return state(failure).startsWith("28") || code == 1045 || code == 1698;
	}

	/**
	 * Return whether the user lacks a right. Not retryable: somebody has to grant it.
	 * <ul>
	 * <li>42501: PostgreSQL, insufficient privilege</li>
	 * <li>1142: MariaDB and MySQL, command denied on a table</li>
	 * <li>90096: H2, not enough rights</li>
	 * </ul>
	 */
	static boolean isDenied(SQLException failure) {
		return state(failure).equals("42501") || code(failure) == 1142 || code(failure) == 90096;
	}

	/**
	 * Return whether this statement collided with another one, so that the database has
	 * ended it. Retryable, after a short pause: the other statement goes on and ends.
	 * <ul>
	 * <li>class 40: the transaction was rolled back, as by a deadlock (40P01 on
	 * PostgreSQL) or by serializable isolation (40001)</li>
	 * <li>55P03: PostgreSQL, no lock on a row within {@code lock_timeout}</li>
	 * <li>1213: MariaDB and MySQL, deadlock</li>
	 * <li>1205: MariaDB and MySQL, no lock on a row within
	 * {@code innodb_lock_wait_timeout}</li>
	 * <li>1020: MariaDB, the row has changed since the transaction has read it</li>
	 * <li>50200: H2, no lock on a row within {@code LOCK_TIMEOUT}</li>
	 * <li>40001: H2, deadlock; its code and its state</li>
	 * <li>90131: H2, the row has changed since the statement has read it</li>
	 * </ul>
	 */
	public static boolean isCollision(SQLException failure) {
		String state = state(failure);
		return state.startsWith("40") || state.equals("55P03") || COLLISION_CODES.contains(code(failure));
	}

	/**
	 * Return whether the database refuses to write. Retryable: a failover may be under
	 * way, after which the same URL leads to a primary.
	 * <ul>
	 * <li>25006: PostgreSQL, read-only transaction, as on a standby</li>
	 * <li>1290: MariaDB and MySQL, an option such as {@code read_only} forbids it</li>
	 * <li>1836: MariaDB and MySQL, read-only mode</li>
	 * <li>90097: H2, the database is read-only</li>
	 * </ul>
	 */
	public static boolean isReadOnly(SQLException failure) {
		return state(failure).equals("25006") || READ_ONLY_CODES.contains(code(failure));
	}

	/**
	 * Return whether the database has cancelled a statement, after a time-out or at
	 * somebody's request. Retryable: it may have waited for a row that is free by now.
	 * <ul>
	 * <li>57014: PostgreSQL and H2 (state and code), query cancelled</li>
	 * <li>70100: MariaDB and MySQL, query interrupted; MariaDB also for its time-out</li>
	 * <li>HYT00: a time-out, on H2 and of drivers</li>
	 * <li>3024: MySQL, {@code max_execution_time} exceeded</li>
	 * <li>the exception that JDBC has for this: MySQL's driver names no state</li>
	 * </ul>
	 */
	static boolean isCancelled(SQLException failure) {
		return failure instanceof SQLTimeoutException || CANCELLED_STATES.contains(state(failure))
				|| CANCELLED_CODES.contains(code(failure));
	}

	/**
	 * Return whether it was the connection that failed, and not a statement. Retryable,
	 * on another connection.
	 * <ul>
	 * <li>class 08: connection exception, on all databases</li>
	 * <li>class 57P: PostgreSQL shuts down, has crashed or is starting</li>
	 * <li>53300: PostgreSQL, too many connections</li>
	 * <li>1203, 1226: MariaDB and MySQL, too many connections of this user</li>
	 * <li>class 25P: PostgreSQL or its driver finds the transaction in another state than
	 * it was left in, as after the server has ended a silent one</li>
	 * <li>class 90: H2, with the code for a state: the connection is broken or the
	 * database was closed, unless the code has another meaning</li>
	 * <li>the exceptions that JDBC has for this, which pools throw too</li>
	 * <li>no state: not the database says so, but a pool or a driver</li>
	 * </ul>
	 */
	static boolean isConnectionProblem(SQLException failure) {
		String state = state(failure);
		return state.startsWith("08") || state.startsWith("57P") || state.equals("53300") || state.startsWith("25P")
				|| TOO_MANY_CONNECTIONS_CODES.contains(code(failure))
				|| failure instanceof SQLTransientConnectionException || failure instanceof SQLRecoverableException
				|| failure instanceof SQLNonTransientConnectionException || (state.isEmpty() && !isCancelled(failure))
				|| (state.startsWith("90") && !isCollision(failure) && !isReadOnly(failure) && !isDenied(failure));
	}

	/**
	 * Return whether the database has a problem of its own. Retryable: it may pass within
	 * the wait time.
	 * <ul>
	 * <li>class 53: PostgreSQL, no room on the disk, no memory</li>
	 * <li>class 58: PostgreSQL, system error, such as one of a disk</li>
	 * <li>class XX: PostgreSQL, internal error, also of a pooler before it</li>
	 * <li>HY000: MariaDB and MySQL, for all that has no state, such as a full disk</li>
	 * <li>1461: MariaDB and MySQL, too many prepared statements of all clients</li>
	 * </ul>
	 */
	static boolean isInternalProblem(SQLException failure) {
		String state = state(failure);
		return state.startsWith("53") || state.startsWith("58") || state.startsWith("XX") || state.equals("HY000")
				|| code(failure) == 1461;
	}

	/**
	 * Return whether a row with the same key is there already. Class 23: integrity
	 * constraint violation, on all databases; the tables of locks have no other
	 * constraint that a statement could break.
	 */
	static boolean isDuplicate(SQLException failure) {
		return failure instanceof SQLIntegrityConstraintViolationException || state(failure).startsWith("23");
	}

	/**
	 * Return whether another node has just created what was to be created.
	 * <ul>
	 * <li>class 23: PostgreSQL, where two nodes create the same thing at the same
	 * moment</li>
	 * <li>42P07: PostgreSQL, table or sequence exists</li>
	 * <li>42710: PostgreSQL, object exists</li>
	 * <li>42S01: MariaDB, MySQL and H2, table exists</li>
	 * <li>90035: H2, sequence exists</li>
	 * <li>50000: H2, internal error, where two nodes create a sequence at the same
	 * moment: only its text says so</li>
	 * </ul>
	 */
	public static boolean isThereAlready(SQLException failure) {
		return isDuplicate(failure) || THERE_ALREADY_STATES.contains(state(failure))
				|| (code(failure) == 50000 && String.valueOf(failure.getMessage()).contains("already exists"));
	}

	/**
	 * Return the SQL state, that of the cause if a pool has wrapped it; never
	 * {@code null}.
	 */
	public static String state(SQLException failure) {
		return sqlExceptions(failure).map(SQLException::getSQLState)
			.filter((state) -> state != null && !state.isEmpty())
			.findFirst()
			.orElse("");
	}

	private static int code(SQLException failure) {
		return sqlExceptions(failure).mapToInt(SQLException::getErrorCode)
			.filter((code) -> code != 0)
			.findFirst()
			.orElse(0);
	}

	/**
	 * Return what drivers and pools have thrown, the outermost first.
	 */
	static Stream<SQLException> sqlExceptions(Throwable failure) {
		return Failures.causes(failure).filter(SQLException.class::isInstance).map(SQLException.class::cast);
	}

}
