package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The statements on the table with a row for each key. Every statement that changes a row
 * finds it by the primary key, so that the database locks only this row, and takes the
 * time from the database.
 * <p>
 * Why: docs/decisions/031-tokens-start-at-the-clock.md
 */
final class LockTable {

	private static final String TABLE = "distributed_lock";

	private final JdbcDialect dialect;

	private final ReleaseAnnouncements announcements;

	/**
	 * The time for expiry.
	 */
	private final String now;

	/**
	 * The time for a first token: so fine that nobody can insert a row, delete it and
	 * insert it again within one unit.
	 */
	private final String firstToken;

	LockTable(JdbcDialect dialect) {
		this.dialect = dialect;
		this.announcements = new ReleaseAnnouncements(dialect);
		this.now = dialect.nowMillis();
		this.firstToken = dialect.nowMicros();
	}

	/**
	 * Take a row that is free or has expired, or that this owner has: a call that is
	 * tried again after a collision may have taken it already.
	 * @return the token, zero if another owner has the key
	 */
	private long takeIfFree(Session session, String key, String owner, Duration lease) throws SQLException {
		String sql = "UPDATE " + TABLE + " SET owner = ?, token = token + 1, expires_at = " + this.now
				+ " + ? WHERE lock_key = ? AND (owner IS NULL OR owner = ? OR expires_at <= " + this.now + ")";
		if (this.dialect.returnsUpdated()) {
			return session.number(sql + " RETURNING token", owner, lease.toMillis(), key, owner);
		}
		if (session.update(sql, owner, lease.toMillis(), key, owner) == 0) {
			return 0;
		}
		return session.number("SELECT token FROM " + TABLE + " WHERE lock_key = ? AND owner = ?", key, owner);
	}

	/**
	 * Take a key whose row is free, has expired, or is not there.
	 * @return the token, zero if another owner has the key
	 */
	long take(Session session, String key, String owner, Duration lease) throws SQLException {
		long token = takeIfFree(session, key, owner, lease);
		return (token == 0 && !read(session, key).exists()) ? insert(session, key, owner, lease) : token;
	}

	/**
	 * Return whether an owner has a key, and its lease still runs.
	 */
	boolean isHeldBy(Session session, String key, String owner) throws SQLException {
		return session.number(
				"SELECT COUNT(*) FROM " + TABLE + " WHERE lock_key = ? AND owner = ? AND expires_at > " + this.now, key,
				owner) == 1;
	}

	/**
	 * Take a row if its version is still the one that was read, and it is still free.
	 */
	boolean takeIfVersionIs(Session session, String key, long version, String owner, Duration lease)
			throws SQLException {
		// an owner may have renewed since, which leaves the version as it is
		return session.update(
				"UPDATE " + TABLE + " SET owner = ?, token = token + 1, expires_at = " + this.now
						+ " + ? WHERE lock_key = ? AND token = ? AND (owner IS NULL OR expires_at <= " + this.now + ")",
				owner, lease.toMillis(), key, version) == 1;
	}

	/**
	 * Read the version of a row.
	 */
	Version read(Session session, String key) throws SQLException {
		Version version = session.first(
				"SELECT token, CASE WHEN owner IS NULL OR expires_at <= " + this.now + " THEN 1 ELSE 0 END FROM "
						+ TABLE + " WHERE lock_key = ?",
				(row) -> new Version(true, row.getLong(1), row.getInt(2) == 1), key);
		return (version != null) ? version : new Version(false, 0, true);
	}

	/**
	 * Insert the row of a key, taken by its first owner. Its token starts at the clock: a
	 * row that was swept or deleted by hand had a lower one.
	 * @return the token, zero if somebody else has inserted the row
	 */
	long insert(Session session, String key, String owner, Duration lease) throws SQLException {
		try {
			session.update("INSERT INTO " + TABLE + " (lock_key, owner, token, expires_at) VALUES (?, ?, "
					+ this.firstToken + ", " + this.now + " + ?)", key, owner, lease.toMillis());
		}
		catch (SQLException ex) {
			if (SqlCodes.isDuplicate(ex)) {
				return 0;
			}
			throw ex;
		}
		return read(session, key).token();
	}

	/**
	 * Lock the row of a key until the end of the transaction.
	 * @throws MissingRowException if there is none
	 */
	Row lockRow(Session session, String key) throws SQLException {
		Row locked = session.first(
				"SELECT owner, token, CASE WHEN owner IS NULL OR expires_at <= " + this.now + " THEN 1 ELSE 0 END FROM "
						+ TABLE + " WHERE lock_key = ? FOR UPDATE",
				(row) -> new Row(row.getString(1), row.getLong(2), row.getInt(3) == 1), key);
		if (locked == null) {
			throw new MissingRowException();
		}
		return locked;
	}

	/**
	 * Insert the row of a key that nobody has, unless it is there.
	 */
	void insertFree(Session session, String key) throws SQLException {
		try {
			session.update("INSERT INTO " + TABLE + " (lock_key, owner, token, expires_at) VALUES (?, NULL, "
					+ this.firstToken + ", " + this.now + ")", key);
		}
		catch (SQLException ex) {
			if (!SqlCodes.isDuplicate(ex)) {
				throw ex;
			}
		}
	}

	/**
	 * Give a locked row to an owner, with the next token.
	 */
	void occupy(Session session, String key, String owner, long expiresAt) throws SQLException {
		session.update("UPDATE " + TABLE + " SET owner = ?, token = token + 1, expires_at = ? WHERE lock_key = ?",
				owner, expiresAt, key);
	}

	/**
	 * Give a locked row to readers, with the token of the writer who had it.
	 */
	void passOn(Session session, String key, String owner, long expiresAt) throws SQLException {
		session.update("UPDATE " + TABLE + " SET owner = ?, expires_at = ? WHERE lock_key = ?", owner, expiresAt, key);
	}

	void prolong(Session session, String key, long expiresAt) throws SQLException {
		session.update("UPDATE " + TABLE + " SET expires_at = ? WHERE lock_key = ?", expiresAt, key);
	}

	void vacate(Session session, String key) throws SQLException {
		session.update("UPDATE " + TABLE + " SET owner = NULL, expires_at = " + this.now + " WHERE lock_key = ?", key);
	}

	/**
	 * Return when a lease that starts now will end, on the clock of the database.
	 */
	long endOf(Session session, Duration lease) throws SQLException {
		return session.number("SELECT " + this.now) + lease.toMillis();
	}

	/**
	 * Announce to waiters that a key may be free, where the database can send messages.
	 */
	void announceRelease(Session session, String key) throws SQLException {
		this.announcements.announce(session, key);
	}

	boolean renew(Session session, String key, String owner, Duration lease) throws SQLException {
		return session.update(
				"UPDATE " + TABLE + " SET expires_at = " + this.now + " + ? WHERE lock_key = ? AND owner = ?",
				lease.toMillis(), key, owner) == 1;
	}

	boolean release(Session session, String key, String owner) throws SQLException {
		return this.announcements.announceUpdate(session,
				"UPDATE " + TABLE + " SET owner = NULL, expires_at = " + this.now + " WHERE lock_key = ? AND owner = ?",
				key, owner);
	}

	/**
	 * Delete some rows that nobody has used for a while, also those of holders that have
	 * died. A row whose token is ahead of the clock stays: a new row would start with a
	 * lower one.
	 */
	int sweep(Session session, Duration unusedFor) throws SQLException {
		String unused = "expires_at < " + this.now + " - ? AND token < " + this.firstToken;
		int swept = 0;
		for (String key : session.texts(
				"SELECT lock_key FROM " + TABLE + " WHERE " + unused + " LIMIT " + TableSweep.BATCH,
				unusedFor.toMillis())) {
			swept += session.update("DELETE FROM " + TABLE + " WHERE lock_key = ? AND " + unused, key,
					unusedFor.toMillis());
		}
		return swept;
	}

	/**
	 * What a row was when it was read.
	 *
	 * @param exists whether there is a row
	 * @param token its version
	 * @param free whether nobody has it, or the lease on it has expired
	 */
	record Version(boolean exists, long token, boolean free) {
	}

	/**
	 * A row that is locked.
	 *
	 * @param owner who has it, or had it last
	 * @param token the last token
	 * @param free whether nobody has it
	 */
	record Row(@Nullable String owner, long token, boolean free) {
	}

	/**
	 * There is no row yet.
	 */
	static final class MissingRowException extends SQLException {

		private static final long serialVersionUID = 1L;

		MissingRowException() {
			super("there is no row of this key");
		}

	}

}
