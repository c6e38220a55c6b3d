package io.distributedlock.jdbc;

/**
 * How locks are made of rows.
 *
 * @since 0.1
 */
public enum JdbcLockStrategy {

	/**
	 * A unique row for each key, with owner and expiry. One statement takes a row that is
	 * free or has expired.
	 */
	ROW,

	/**
	 * The same row, read first and then written by compare-and-set on its version: no
	 * statement ever waits for a row that another one has locked for long.
	 */
	VERSION,

	/**
	 * The row lock of {@code SELECT ... FOR UPDATE}, held by a connection that stays
	 * open: ends with the connection, needs no clock, costs a connection for each lock
	 * that is held.
	 */
	FOR_UPDATE

}
