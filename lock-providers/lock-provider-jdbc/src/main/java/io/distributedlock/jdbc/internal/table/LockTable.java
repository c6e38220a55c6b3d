package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.jdbc.internal.call.TableSweep;
import io.distributedlock.jdbc.internal.signal.ReleaseAnnouncements;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the table with a row for each key. Every statement that changes a row
 * finds it by the primary key, so that the database locks only this row, and takes the
 * time from the database.
 * <p>
 * Why: docs/decisions/031-tokens-start-at-the-clock.md
 */
final class LockTable {

	/**
	 * In place of a token: there is no row of the key.
	 */
	static final long MISSING = -1;

	private static final String TABLE = "distributed_lock";

	private final SqlDialect dialect;

	private final ReleaseAnnouncements announcements;

	/**
	 * The time for expiry.
	 */
	private final String now;

	/**
	 * Whether nobody has a row, or the lease on it has expired.
	 */
	private final String free;

	/**
	 * The same as a number, 1 or 0.
	 */
	private final String freeNumber;

	/**
	 * The time for a first token: so fine that nobody can insert a row, delete it and
	 * insert it again within one unit.
	 */
	private final String firstToken;

	/**
	 * Selects the owner that has waited longest in a queue.
	 */
	private final String firstPlace;

	private final MemberTable members;

	LockTable(SqlDialect dialect) {
		this.dialect = dialect;
		this.announcements = new ReleaseAnnouncements(dialect);
		this.now = dialect.nowMillis();
		this.free = "(owner IS NULL OR expires_at <= " + this.now + ")";
		this.freeNumber = "CASE WHEN " + this.free + " THEN 1 ELSE 0 END";
		this.firstToken = dialect.nowMicros();
		this.members = new MemberTable(dialect);
		this.firstPlace = this.members.firstAlive();
	}

	/**
	 * Take a key whose row is free, has expired, or is not there, or that this owner has:
	 * a call that is tried again after a collision may have taken it already.
	 * @return the first token, zero if another owner has the key
	 */
	long take(Session session, LeaseRequest request, String owner) throws SQLException {
		long token = update(session, "(owner = ? OR " + this.free + ")", request, owner, owner);
		return (token == 0 && !exists(session, request.key())) ? insert(session, request, owner) : token;
	}

	/**
	 * Take a row that is free or has expired if no place in the queue of the key is in
	 * front of this owner, or that this owner has: the answer to a question before may
	 * have been lost.
	 * @param withPlace whether this owner leaves the queue in the same statement, which
	 * only PostgreSQL can do
	 * @return the first token, zero if others come first
	 */
	long takeInTurn(Session session, LeaseRequest request, String owner, boolean withPlace) throws SQLException {
		String queue = MemberTable.queueOf(request.key());
		if (!withPlace) {
			return update(session, inTurn(), request, owner, owner, owner, queue, owner);
		}
		return firstOf(request, session.number(takingWithPlace() + " SELECT token FROM taken",
				parameters(request, owner, owner, owner, queue, owner, queue, owner)));
	}

	/**
	 * Take a row as {@link #takeInTurn}, or be in the queue of the key from now on: one
	 * statement on PostgreSQL.
	 * @param timeToLive how long to be in the queue
	 * @return the first token, zero if others come first, {@link #MISSING} if there is no
	 * such row
	 */
	long takeOrQueue(Session session, LeaseRequest request, String owner, Duration timeToLive) throws SQLException {
		String queue = MemberTable.queueOf(request.key());
		long token = session.number(
				takingWithPlace() + ", stays AS (" + this.members.queueUnlessTaken()
						+ ") SELECT COALESCE((SELECT token FROM taken), (SELECT COUNT(*) - 1 FROM stays))",
				parameters(request, owner, owner, owner, queue, owner, queue, owner, queue, owner,
						timeToLive.toMillis(), request.key()));
		return (token != MISSING) ? firstOf(request, token) : MISSING;
	}

	/**
	 * Look whether an owner that waits in the queue of a key can take it.
	 */
	Line look(Session session, String key, String owner) throws SQLException {
		Line line = session.first(
				"SELECT " + this.freeNumber + ", owner, (" + this.firstPlace + ") FROM " + TABLE
						+ " WHERE lock_key = ?",
				(row) -> lineOf(owner, row.getInt(1) == 1, row.getString(2), row.getString(3)),
				MemberTable.queueOf(key), key);
		// without a row somebody has to insert it
		return (line != null) ? line : new Line(true, null);
	}

	private static Line lineOf(String owner, boolean free, @Nullable String holder, @Nullable String first) {
		return new Line(free ? (first == null || owner.equals(first)) : owner.equals(holder), first);
	}

	private String inTurn() {
		return "((owner = ? AND expires_at > " + this.now + ") OR (" + this.free + " AND ? = COALESCE(("
				+ this.firstPlace + "), ?)))";
	}

	private String takingWithPlace() {
		return "WITH taken AS (" + updateIf(inTurn()) + " RETURNING token), gone AS ("
				+ "DELETE FROM distributed_lock_member WHERE lock_key = ? AND owner = ?"
				+ " AND EXISTS (SELECT 1 FROM taken))";
	}

	private long update(Session session, String condition, LeaseRequest request, String owner, Object... more)
			throws SQLException {
		Object[] parameters = parameters(request, owner, more);
		String returning = this.dialect.returning(updateIf(condition), "token");
		return firstOf(request, (returning != null) ? session.number(returning, parameters)
				: session.updateNumbered(updateIf(condition), parameters));
	}

	private String updateIf(String condition) {
		return "UPDATE " + TABLE + " SET owner = ?, token = " + this.dialect.noted("token + ?") + ", expires_at = "
				+ this.now + " + ? WHERE lock_key = ? AND " + condition;
	}

	private static Object[] parameters(LeaseRequest request, String owner, Object... more) {
		return Stream
			.concat(Stream.of(owner, request.tokens(), request.leaseTime().toMillis(), request.key()), Stream.of(more))
			.toArray();
	}

	/**
	 * Return the first token of a grant.
	 * @param last the last one, zero if there is no grant
	 */
	private static long firstOf(LeaseRequest request, long last) {
		return (last != 0) ? last - request.tokens() + 1 : 0;
	}

	/**
	 * Return whether there is a row of a key.
	 */
	boolean exists(Session session, String key) throws SQLException {
		return session.isAny("SELECT 1 FROM " + TABLE + " WHERE lock_key = ?", key);
	}

	/**
	 * Take a row if its version is still the one that was read, and it is still free.
	 */
	boolean takeIfVersionIs(Session session, LeaseRequest request, long version, String owner) throws SQLException {
		// an owner may have renewed since, which leaves the version as it is
		return session.update(updateIf("token = ? AND " + this.free), parameters(request, owner, version)) == 1;
	}

	/**
	 * Read the version of a row, {@code null} if there is none.
	 */
	@Nullable Version read(Session session, String key) throws SQLException {
		return session.first("SELECT token, " + this.freeNumber + " FROM " + TABLE + " WHERE lock_key = ?",
				(row) -> new Version(row.getLong(1), row.getInt(2) == 1), key);
	}

	/**
	 * Insert the row of a key, taken by its first owner. Its token starts at the clock: a
	 * row that was swept or deleted by hand had a lower one.
	 * @return the first token, zero if somebody else has inserted the row, or has it
	 * already: an operator may have released it for this owner
	 */
	long insert(Session session, LeaseRequest request, String owner) throws SQLException {
		boolean inserted = session.insert(
				"INSERT INTO " + TABLE + " (lock_key, owner, token, expires_at) VALUES (?, ?, " + this.firstToken
						+ " + ?, " + this.now + " + ?)",
				request.key(), owner, request.tokens() - 1, request.leaseTime().toMillis());
		return inserted ? firstOf(request, session
			.number("SELECT token FROM " + TABLE + " WHERE lock_key = ? AND owner = ?", request.key(), owner)) : 0;
	}

	/**
	 * Lock the row of a key until the end of the transaction.
	 * @throws MissingRowException if there is none
	 */
	Row lockRow(Session session, String key) throws SQLException {
		Row locked = session.first(
				"SELECT owner, token, " + this.freeNumber + " FROM " + TABLE + " WHERE lock_key = ? FOR UPDATE",
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
		session.insert("INSERT INTO " + TABLE + " (lock_key, owner, token, expires_at) VALUES (?, NULL, "
				+ this.firstToken + ", " + this.now + ")", key);
	}

	/**
	 * Give a locked row to an owner, with the next token.
	 */
	void occupy(Session session, String key, String owner, long expiresAt) throws SQLException {
		session.update("UPDATE " + TABLE + " SET owner = ?, token = token + 1, expires_at = ? WHERE lock_key = ?",
				owner, expiresAt, key);
	}

	void prolong(Session session, String key, long expiresAt) throws SQLException {
		session.update("UPDATE " + TABLE + " SET expires_at = ? WHERE lock_key = ?", expiresAt, key);
	}

	void vacate(Session session, String key) throws SQLException {
		session.update("UPDATE " + TABLE + " SET owner = NULL, expires_at = " + this.now + " WHERE lock_key = ?", key);
	}

	/**
	 * Announce to waiters that a key may be free, where the database can send messages.
	 */
	void announceRelease(Session session, String key) throws SQLException {
		this.announcements.announce(session, key);
	}

	/**
	 * Announce to waiters that the first of them has changed, if the key is free. Waits
	 * for a release that is under way: its message may name the one that has gone, whose
	 * JVM may not hear it any more, as when it ends.
	 */
	void announceIfFree(Session session, String key) throws SQLException {
		// OFFSET has the row locked before the condition is looked at
		this.announcements.announceIf(session, key, "(SELECT owner, expires_at, " + this.dialect.unsynced() + " FROM "
				+ TABLE + " WHERE lock_key = ? OFFSET 0 FOR UPDATE) locked WHERE " + this.free);
	}

	boolean renew(Session session, String key, String owner, Duration lease) throws SQLException {
		int changed = session.update(
				"UPDATE " + TABLE + " SET expires_at = " + this.now + " + ? WHERE lock_key = ? AND owner = ?",
				lease.toMillis(), key, owner);
		// within one millisecond nothing changes, and some clients count what changes
		return changed == 1
				|| session.isAny("SELECT owner FROM " + TABLE + " WHERE lock_key = ? AND owner = ?", key, owner);
	}

	/**
	 * Release a key, and announce that to the waiter who is first.
	 * @return the message, see {@link ReleaseAnnouncements}; empty if the owner no longer
	 * had the key
	 */
	Optional<String> release(Session session, String key, String owner) throws SQLException {
		return this.announcements.announceUpdate(session,
				"UPDATE " + TABLE + " SET owner = NULL, expires_at = " + this.now + " WHERE lock_key = ? AND owner = ?",
				this.firstPlace, key, owner, MemberTable.queueOf(key));
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
				"SELECT lock_key FROM " + TABLE + " WHERE " + unused + this.dialect.first(TableSweep.BATCH),
				unusedFor.toMillis())) {
			swept += session.update("DELETE FROM " + TABLE + " WHERE lock_key = ? AND " + unused, key,
					unusedFor.toMillis());
		}
		return swept;
	}

	/**
	 * What an owner that waits has seen.
	 *
	 * @param mayTake whether the key is free for it, or its own already
	 * @param first the owner that nobody is in front of in the queue
	 */
	record Line(boolean mayTake, @Nullable String first) {
	}

	/**
	 * What a row was when it was read.
	 *
	 * @param token its version
	 * @param free whether nobody has it, or the lease on it has expired
	 */
	record Version(long token, boolean free) {
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

}
