package io.distributedlock.jdbc.internal.call;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The SQL of a database, where databases differ. All dialects count time since the epoch
 * by the clock of the database, whatever the time zone of a session.
 */
public enum SqlDialect {

	/**
	 * H2, embedded or as a server.
	 */
	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * %s AS BIGINT)", "SELECT NEXT VALUE FOR distributed_lock_token"),

	/**
	 * PostgreSQL.
	 */
	POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * %s AS BIGINT)",
			"SELECT nextval('distributed_lock_token')"),

	/**
	 * MariaDB.
	 */
	MARIADB("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV (1000000 DIV %s))",
			"SELECT NEXT VALUE FOR distributed_lock_token"),

	/**
	 * MySQL. It has no sequences, so a row is inserted into a table with
	 * {@code AUTO_INCREMENT}. A rollback does not reset that counter.
	 */
	MYSQL("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV (1000000 DIV %s))", null);

	private final String now;

	private final @Nullable String nextToken;

	SqlDialect(String now, @Nullable String nextToken) {
		this.now = now;
		this.nextToken = nextToken;
	}

	/**
	 * Return the name of the resource with the statements that create the tables.
	 */
	public String schema() {
		return "io/distributedlock/jdbc/schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
	}

	public String nowMillis() {
		return this.now.formatted(1000);
	}

	public String nowMicros() {
		return this.now.formatted(1_000_000);
	}

	public @Nullable String nextToken() {
		return this.nextToken;
	}

	/**
	 * Return the end of a query that returns the first rows alone. Some modes of H2 know
	 * no {@code LIMIT}.
	 */
	public String first(int rows) {
		return (this == H2) ? " FETCH FIRST " + rows + " ROWS ONLY" : " LIMIT " + rows;
	}

	/**
	 * Return whether the database is MySQL or descends from it.
	 */
	public boolean isOfMySqlFamily() {
		return this == MARIADB || this == MYSQL;
	}

	/**
	 * Return a query that updates a row and returns what it has written.
	 * @return {@code null} if the database has none
	 */
	public @Nullable String returning(String update, String column) {
		return switch (this) {
			case POSTGRESQL -> update + " RETURNING " + column;
			case H2 -> "SELECT " + column + " FROM FINAL TABLE (" + update + ")";
			case MARIADB, MYSQL -> null;
		};
	}

	/**
	 * Return a number that an update writes. Where a query cannot return it, the answer
	 * to the update brings it as if it had been generated.
	 */
	public String noted(String number) {
		return isOfMySqlFamily() ? "LAST_INSERT_ID(" + number + ")" : number;
	}

	/**
	 * Return what a statement returns so that its commit does not wait for the disk,
	 * where it has changed anything. The transaction must not do anything else.
	 * <p>
	 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
	 * @return {@code null} if the database cannot do this
	 */
	public @Nullable String unsynced() {
		return (this == POSTGRESQL) ? "set_config('synchronous_commit', 'off', true)" : null;
	}

	/**
	 * End a transaction that has locked rows and changed none that is to be kept. Not
	 * with a rollback on H2 (2.4.240): while the file is written, it may put a row back
	 * twice, and so end the lock of the transaction that has locked it in between.
	 */
	public void unlock(Connection connection) throws SQLException {
		if (this == H2) {
			connection.commit();
		}
		else {
			// on MySQL this also removes the row that counted the token
			connection.rollback();
		}
	}

	/**
	 * Return whether the database can send messages to waiters.
	 */
	public boolean notifies() {
		return this == POSTGRESQL;
	}

}
