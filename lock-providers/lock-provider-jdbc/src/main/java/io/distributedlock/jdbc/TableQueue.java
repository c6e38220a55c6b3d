package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.distributedlock.spi.LeaseRequest;

/**
 * Queues for keys. Each statement is a transaction of its own: a waiter that is cut off
 * between two of them has locked no row on the server, and its place ends soon.
 * <p>
 * The statement that takes a key looks at its queue too, so nobody overtakes the first
 * place. A key for which nobody waits costs no statement more.
 * <p>
 * Why: docs/decisions/033-jdbc-members-in-a-second-table.md,
 * docs/decisions/044-first-place-of-a-database-is-told.md
 */
final class TableQueue {

	/**
	 * For how many intervals a place stays about which nobody asks: room for three
	 * questions that are lost.
	 */
	private static final int LOOKS_PER_PLACE = 4;

	private final LockTable table;

	private final MemberTable members;

	private final boolean atOnce;

	TableQueue(LockTable table, MemberTable members, JdbcDialect dialect) {
		this.table = table;
		this.members = members;
		this.atOnce = dialect == JdbcDialect.POSTGRESQL;
	}

	/**
	 * Take a key if nobody waits for it.
	 * @return the first token, zero if another owner has the key or waits for it
	 */
	long acquire(Session session, LeaseRequest request, String owner) throws SQLException {
		long token = this.table.takeInTurn(session, request, owner, false);
		return (token == 0 && !this.table.exists(session, request.key())) ? this.table.insert(session, request, owner)
				: token;
	}

	/**
	 * Take a key if nobody has waited for it longer. Otherwise join its queue, or stay in
	 * it.
	 * @return the first token, zero if others come first
	 */
	long acquireInTurn(Session session, LeaseRequest request, QueuedOwner place) throws SQLException {
		boolean stayDue = place.isStayDue(request.lookInterval().dividedBy(2));
		if (this.atOnce) {
			return stayDue ? takeOrQueueAtOnce(session, request, place) : take(session, request, place);
		}
		long token = takeIfFirst(session, request, place);
		return (token == 0 && stayDue) ? queue(session, request, place) : token;
	}

	/**
	 * A place that is new does not look at the key again, which may have been released
	 * before others could see it: it asks once more when it begins to listen.
	 */
	private long takeOrQueueAtOnce(Session session, LeaseRequest request, QueuedOwner place) throws SQLException {
		place.joins();
		long sentAt = System.nanoTime();
		long token = this.table.takeOrQueue(session, request, place.name(), timeToLive(request));
		if (token == LockTable.MISSING) {
			return this.table.insert(session, request, place.name());
		}
		if (token == 0) {
			place.stays(sentAt);
		}
		else {
			place.leftQueue();
		}
		return token;
	}

	/**
	 * Take a key. A place that waits reads before it writes: it asks often, and most
	 * answers are that others come first.
	 */
	private long takeIfFirst(Session session, LeaseRequest request, QueuedOwner place) throws SQLException {
		if (!place.isStaying()) {
			return take(session, request, place);
		}
		LockTable.Line line = this.table.look(session, request.key(), place.name());
		place.sees(line.first());
		return line.mayTake() ? take(session, request, place) : 0;
	}

	private long queue(Session session, LeaseRequest request, QueuedOwner place) throws SQLException {
		if (!this.table.exists(session, request.key())) {
			return this.table.insert(session, request, place.name());
		}
		boolean known = place.isJoined();
		place.joins();
		long sentAt = System.nanoTime();
		boolean added = this.members.queue(session, queueOf(request.key()), place.name(), timeToLive(request), known);
		place.stays(sentAt);
		// the key may have been released before others could see a new place
		return added ? takeIfFirst(session, request, place) : 0;
	}

	private long take(Session session, LeaseRequest request, QueuedOwner place) throws SQLException {
		boolean withPlace = this.atOnce && place.isJoined();
		long token = this.table.takeInTurn(session, request, place.name(), withPlace);
		if (token != 0 && withPlace) {
			place.leftQueue();
		}
		return token;
	}

	/**
	 * Remove the place of an owner that has the key, unless that was done. Until then
	 * nobody behind it can take the key: this comes before the release.
	 */
	void removePlace(Session session, String key, QueuedOwner place) throws SQLException {
		if (place.isToLeaveQueue()) {
			this.members.remove(session, queueOf(key), place.name());
			place.leftQueue();
		}
	}

	/**
	 * Remove an owner from the queue, and from the key if it was granted meanwhile.
	 * @return the message of the release, empty if the owner was not there
	 */
	Optional<String> leave(Session session, String key, String owner) throws SQLException {
		boolean queued = this.members.leave(session, queueOf(key), owner);
		Optional<String> released = this.table.release(session, key, owner);
		// whoever was behind may be first now
		return (queued && released.isEmpty()) ? Optional.of(this.table.announceRelease(session, key)) : released;
	}

	/**
	 * Return how long a place stays after a question. The interval is at most a quarter
	 * of the lease.
	 */
	private static Duration timeToLive(LeaseRequest request) {
		return request.lookInterval().multipliedBy(LOOKS_PER_PLACE);
	}

	/**
	 * Return the key of the queue's members, which are not those who share the key. Keys
	 * never contain the character {@code ~}.
	 */
	static String queueOf(String key) {
		return key + LockTable.QUEUE;
	}

}
