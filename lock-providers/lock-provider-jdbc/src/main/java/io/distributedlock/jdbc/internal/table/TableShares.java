package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.time.Duration;

import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SilenceLimit;

/**
 * Keys that several owners share, as readers or with permits. The row of the key says
 * that it is shared, and its members are in a table of their own. Each method runs in
 * {@link #onRow a transaction}, which locks the row first.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
 *
 * @param table the table of locks
 * @param members the table of members
 * @param silenceLimit makes the server end a silent session
 * @param silence after how long a silence the server ends a session that has locked a row
 */
record TableShares(LockTable table, MemberTable members, SilenceLimit silenceLimit, Duration silence) {

	/**
	 * The owner of a row whose owners are in the table of members. No owner has this
	 * name.
	 */
	static final String SHARED = "*";

	/**
	 * Take a share.
	 * @param limit how many owners there may be, 0 for any number
	 * @return the token, zero if none is free
	 */
	long acquire(Session session, String key, String owner, Duration lease, int limit) throws SQLException {
		LockTable.Row row = this.table.lockRow(session, key);
		if (!row.free() && !SHARED.equals(row.owner())) {
			return 0;
		}
		this.members.dropExpired(session, key);
		if (limit > 0 && this.members.count(session, key) >= limit && !this.members.isMember(session, key, owner)) {
			return 0;
		}
		this.members.put(session, key, owner, lease);
		this.table.occupy(session, key, SHARED, this.members.lastExpiry(session, key));
		return row.token() + 1;
	}

	/**
	 * Renew a share.
	 */
	boolean renew(Session session, String key, String owner, Duration lease) throws SQLException {
		LockTable.Row row = this.table.lockRow(session, key);
		this.members.dropExpired(session, key);
		if (!SHARED.equals(row.owner()) || !this.members.stay(session, key, owner, lease)) {
			return false;
		}
		this.table.prolong(session, key, this.members.lastExpiry(session, key));
		return true;
	}

	/**
	 * Release a share.
	 */
	boolean release(Session session, String key, String owner) throws SQLException {
		LockTable.Row row = this.table.lockRow(session, key);
		this.members.dropExpired(session, key);
		boolean had = this.members.remove(session, key, owner);
		if (had && SHARED.equals(row.owner())) {
			long last = this.members.lastExpiry(session, key);
			if (last == 0) {
				this.table.vacate(session, key);
			}
			else {
				this.table.prolong(session, key, last);
			}
		}
		return had;
	}

	/**
	 * Work in a transaction that locks a row first. If there is no such row, insert it
	 * and begin the transaction again.
	 */
	<T> T onRow(Session session, String row, JdbcCalls.Work<T> work) throws SQLException {
		try {
			return this.silenceLimit.inTransaction(session, this.silence, work);
		}
		catch (MissingRowException ex) {
			this.table.insertFree(session, row);
			return this.silenceLimit.inTransaction(session, this.silence, work);
		}
	}

	/**
	 * Return the key of the row for a semaphore, as a semaphore and a lock with the same
	 * key do not exclude each other. Keys never contain the character {@code ~}.
	 */
	static String permitsOf(String key) {
		return key + "~permits";
	}

}
