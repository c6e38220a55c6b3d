package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Queues for keys. Each statement stands by itself: a waiter that is cut off between two
 * of them has locked no row on the server, and its place ends with its lease.
 */
final class FairQueue {

	private final LockTable table;

	private final MemberTable members;

	FairQueue(LockTable table, MemberTable members) {
		this.table = table;
		this.members = members;
	}

	/**
	 * Take a key if nobody has waited for it longer.
	 * @param queue joins the queue if it is not to be had
	 * @return the token, zero if it is not to be had yet
	 */
	long acquire(Session session, String key, String owner, Duration lease, boolean queue) throws SQLException {
		String line = lineOf(key);
		if (queue) {
			this.members.put(session, line, owner, lease);
		}
		String first = this.members.firstAlive(session, line);
		if (first != null && !first.equals(owner)) {
			return 0;
		}
		long token = this.table.take(session, key, owner, lease);
		if (token != 0 && queue) {
			this.members.remove(session, line, owner);
		}
		return token;
	}

	/**
	 * Remove an owner from the queue, and from the key if it was granted meanwhile.
	 */
	boolean leave(Session session, String key, String owner) throws SQLException {
		boolean queued = this.members.remove(session, lineOf(key), owner);
		return this.table.release(session, key, owner) || queued;
	}

	private static String lineOf(String key) {
		return key + "~queue";
	}

}
