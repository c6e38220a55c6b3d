package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.jdbc.internal.call.TableSweep;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the table of owners that share a key or wait in its queue. Members
 * that share a key are changed only while the row of the key is locked. A transaction
 * that adds one neither updates nor deletes without having read that there is a row:
 * otherwise MariaDB and MySQL would lock the gap in which it looked, and those who add
 * owners to other keys would wait for each other.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
 */
final class MemberTable {

	private static final String INSERT = "INSERT INTO distributed_lock_member (lock_key, owner, ticket, expires_at) "
			+ "VALUES ";

	private static final String OF_KEY = " FROM distributed_lock_member WHERE lock_key = ?";

	private final String now;

	private final String nowMicros;

	private final @Nullable String unsynced;

	private final String firstRow;

	private final String batch;

	MemberTable(SqlDialect dialect) {
		this.now = dialect.nowMillis();
		this.nowMicros = dialect.nowMicros();
		this.unsynced = dialect.unsynced();
		this.firstRow = dialect.first(1);
		this.batch = dialect.first(TableSweep.BATCH);
	}

	/**
	 * Add a member behind the others, or renew it in its place.
	 */
	void put(Session session, String key, String owner, Duration lease) throws SQLException {
		if (isMember(session, key, owner)) {
			prolong(session, key, owner, lease);
		}
		else {
			long ticket = session.number("SELECT MAX(ticket)" + OF_KEY, key) + 1;
			session.update(INSERT + "(?, ?, ?, " + this.now + " + ?)", key, owner, ticket, lease.toMillis());
		}
	}

	/**
	 * Renew a member.
	 * @return {@code false} if the owner is not a member
	 */
	boolean stay(Session session, String key, String owner, Duration lease) throws SQLException {
		// within one millisecond nothing changes, and some clients count what changes
		return prolong(session, key, owner, lease) || isMember(session, key, owner);
	}

	private boolean prolong(Session session, String key, String owner, Duration lease) throws SQLException {
		return session.update(
				"UPDATE distributed_lock_member SET expires_at = " + this.now + " + ? WHERE lock_key = ? AND owner = ?",
				lease.toMillis(), key, owner) == 1;
	}

	boolean remove(Session session, String key, String owner) throws SQLException {
		return session.update("DELETE" + OF_KEY + " AND owner = ?", key, owner) == 1;
	}

	void dropExpired(Session session, String key) throws SQLException {
		String expired = OF_KEY + " AND expires_at <= " + this.now;
		if (session.isAny("SELECT 1" + expired, key)) {
			session.update("DELETE" + expired, key);
		}
	}

	boolean isMember(Session session, String key, String owner) throws SQLException {
		return session.number("SELECT COUNT(*)" + OF_KEY + " AND owner = ?", key, owner) == 1;
	}

	long count(Session session, String key) throws SQLException {
		return session.number("SELECT COUNT(*)" + OF_KEY, key);
	}

	/**
	 * Return when the lease of the last member ends, by the clock of the database.
	 */
	long lastExpiry(Session session, String key) throws SQLException {
		return session.number("SELECT MAX(expires_at)" + OF_KEY, key);
	}

	/**
	 * Add a member to a queue, behind those who came before by the clock of the database,
	 * or renew it in its place.
	 * @param known whether it may be a member already
	 * @return {@code false} if it was a member already
	 */
	boolean queue(Session session, String key, String owner, Duration lease, boolean known) throws SQLException {
		if (known && stay(session, key, owner, lease)) {
			return false;
		}
		boolean inserted = session.insert(INSERT + "(?, ?, " + this.nowMicros + ", " + this.now + " + ?)", key, owner,
				lease.toMillis());
		// otherwise a question that was given up has
		return inserted || known || !stay(session, key, owner, lease);
	}

	/**
	 * Add members to a queue that were never in it, in their order.
	 */
	void queueAll(Session session, String key, List<String> owners, Duration lease) throws SQLException {
		List<Object> parameters = new ArrayList<>();
		StringJoiner rows = new StringJoiner(", ");
		for (String owner : owners) {
			rows.add("(?, ?, " + this.nowMicros + " + " + (parameters.size() / 3) + ", " + this.now + " + ?)");
			parameters.addAll(List.of(key, owner, lease.toMillis()));
		}
		change(session, INSERT + rows, parameters.stream());
	}

	/**
	 * Renew members of a queue.
	 * @return {@code false} if it is not known whether each of them is there
	 */
	boolean stayAll(Session session, String key, List<String> owners, Duration lease) throws SQLException {
		if (owners.isEmpty()) {
			return true;
		}
		String update = "UPDATE distributed_lock_member SET expires_at = " + this.now + " + ? WHERE lock_key = ? AND "
				+ oneOf(owners);
		int stayed = change(session, update, Stream.concat(Stream.of(lease.toMillis(), key), owners.stream()));
		return stayed == owners.size();
	}

	/**
	 * Remove members from a queue.
	 * @return {@code false} if none of them was there
	 */
	boolean removeAll(Session session, String key, List<String> owners) throws SQLException {
		String removal = "DELETE" + OF_KEY + " AND " + oneOf(owners);
		return change(session, removal, Stream.concat(Stream.of(key), owners.stream())) > 0;
	}

	/**
	 * Change members of a queue, without a wait for the disk where the database can do
	 * so.
	 * @return how many
	 */
	private int change(Session session, String statement, Stream<?> parameters) throws SQLException {
		return (this.unsynced != null)
				? session.texts(statement + " RETURNING " + this.unsynced, parameters.toArray()).size()
				: session.update(statement, parameters.toArray());
	}

	private static String oneOf(List<String> owners) {
		return "owner IN (" + String.join(", ", Collections.nCopies(owners.size(), "?")) + ")";
	}

	/**
	 * Return what PostgreSQL does in one statement with that which takes a key: it adds a
	 * member to a queue, or renews it in its place, unless the key was taken. Its
	 * parameters are queue, owner, time to live and key.
	 */
	String queueUnlessTaken() {
		return "INSERT INTO distributed_lock_member (lock_key, owner, ticket, expires_at) SELECT CAST(? AS VARCHAR),"
				+ " CAST(? AS VARCHAR), " + this.nowMicros + ", " + this.now
				+ " + ? WHERE NOT EXISTS (SELECT 1 FROM taken)"
				+ " AND EXISTS (SELECT 1 FROM distributed_lock WHERE lock_key = ?)"
				+ " ON CONFLICT (lock_key, owner) DO UPDATE SET expires_at = EXCLUDED.expires_at RETURNING "
				+ this.unsynced;
	}

	/**
	 * Return a query for the owner that has waited longest in a queue, without those that
	 * have stopped asking. Its parameter is the key of the queue.
	 */
	String firstAlive() {
		// two that join at the same moment may have the same ticket
		return "SELECT m.owner FROM distributed_lock_member m WHERE m.lock_key = ? AND m.expires_at > " + this.now
				+ " ORDER BY m.ticket, m.owner" + this.firstRow;
	}

	/**
	 * Return the key of the members of a queue, which are not those who share the key.
	 * Keys never contain the character {@code ~}.
	 */
	static String queueOf(String key) {
		return key + "~queue";
	}

	/**
	 * Delete members that have ended some time ago, of some keys at a time: nobody else
	 * deletes those of a key that is not used any more.
	 */
	int sweep(Session session, Duration endedFor) throws SQLException {
		String ended = "expires_at < " + this.now + " - ?";
		int swept = 0;
		for (String key : session.texts(
				"SELECT DISTINCT lock_key FROM distributed_lock_member WHERE " + ended + this.batch,
				endedFor.toMillis())) {
			swept += session.update("DELETE" + OF_KEY + " AND " + ended, key, endedFor.toMillis());
		}
		return swept;
	}

}
