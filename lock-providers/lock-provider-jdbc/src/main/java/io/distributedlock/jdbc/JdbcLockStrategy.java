package io.distributedlock.jdbc;

/**
 * How a database keeps a lock.
 *
 * @since 0.1
 */
public enum JdbcLockStrategy {

	/**
	 * A unique row for each key, with its owner and the end of its lease. One statement
	 * takes a row that is free or has expired.
	 */
	ROW,

	/**
	 * The same row, read first and then written by compare-and-set on its version. No
	 * statement waits long for a row that another one has locked.
	 */
	VERSION,

	/**
	 * The row lock of {@code SELECT ... FOR UPDATE}, held by a connection that stays
	 * open. It ends with the connection, needs no clock, and costs a connection for each
	 * lock that is held.
	 */
	FOR_UPDATE,

	/**
	 * The locks that the database keeps in memory for applications, held by a connection
	 * that stays open: advisory locks on PostgreSQL, {@code GET_LOCK} on MariaDB and
	 * MySQL. They write nothing, so they are the fastest. Like {@link #FOR_UPDATE} they
	 * end with the connection, and cost one for each lock that is held. H2 has none.
	 */
	ADVISORY

}
