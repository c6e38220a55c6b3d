package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Queues for keys. Each statement is a transaction of its own: a waiter that is cut off
 * between two of them has locked no row on the server, and its place ends with its lease.
 * <p>
 * Why: docs/decisions/033-jdbc-members-in-a-second-table.md
 */
final class FairQueue {

	private final LockTable table;

	private final MemberTable members;

	FairQueue(LockTable table, MemberTable members) {
		this.table = table;
		this.members = members;
	}

	/**
	 * Take a key if nobody waits for it.
	 * @return the token, zero if another owner has the key or waits for it
	 */
	long acquire(Session session, String key, String owner, Duration lease) throws SQLException {
		return isFirst(session, key, owner) ? this.table.take(session, key, owner, lease) : 0;
	}

	/**
	 * Join the queue, or stay in it, and take the key if nobody has waited for it longer.
	 * @param inDoubt whether the owner may have the key already. Then it has left the
	 * queue, and must not join it again behind the others
	 * @return the token, zero if others come first
	 */
	long acquireInTurn(Session session, String key, String owner, Duration lease, boolean inDoubt) throws SQLException {
		String queue = queueOf(key);
		this.members.put(session, queue, owner, lease);
		if (!isFirst(session, key, owner) && !(inDoubt && this.table.isHeldBy(session, key, owner))) {
			return 0;
		}
		long token = this.table.take(session, key, owner, lease);
		if (token != 0) {
			this.members.remove(session, queue, owner);
		}
		return token;
	}

	private boolean isFirst(Session session, String key, String owner) throws SQLException {
		String first = this.members.firstAlive(session, queueOf(key));
		return first == null || first.equals(owner);
	}

	/**
	 * Remove an owner from the queue, and from the key if it was granted meanwhile.
	 */
	boolean leave(Session session, String key, String owner) throws SQLException {
		boolean queued = this.members.remove(session, queueOf(key), owner);
		return this.table.release(session, key, owner) || queued;
	}

	/**
	 * Return the key of the queue's members, which are not those who share the key. Keys
	 * never contain the character {@code ~}.
	 */
	private static String queueOf(String key) {
		return key + "~queue";
	}

}
