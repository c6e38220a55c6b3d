package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.spi.LeaseRequest;

/**
 * Queues for keys. Each statement is a transaction of its own: a waiter that is cut off
 * between two of them has locked no row on the server, and its place ends soon.
 * <p>
 * The statement that takes a key looks at its queue too, so nobody overtakes the first
 * place. A key for which nobody waits costs no statement more.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
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

	TableQueue(LockTable table, MemberTable members, SqlDialect dialect) {
		this.table = table;
		this.members = members;
		this.atOnce = dialect == SqlDialect.POSTGRESQL;
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
	 * it, with all rows of the question.
	 * @return the first token, zero if others come first
	 */
	long ask(Session session, QueueQuestion question) throws SQLException {
		long token = question.asksFront() ? askFront(session, question) : 0;
		if (token == 0) {
			keepRows(session, question);
		}
		return token;
	}

	private long askFront(Session session, QueueQuestion question) throws SQLException {
		if (question.front().isStaying()) {
			// PostgreSQL's message has said who is first, and may have been lost
			return (this.atOnce && !question.isStayDue()) ? take(session, question.request(), question.front())
					: takeIfFirst(session, question);
		}
		if (this.atOnce) {
			return takeOrQueueAtOnce(session, question);
		}
		long token = take(session, question.request(), question.front());
		return (token == 0) ? queue(session, question) : token;
	}

	/**
	 * A row that is new does not look at the key again, which may have been released
	 * before others could see it: it asks once more when it begins to listen.
	 */
	private long takeOrQueueAtOnce(Session session, QueueQuestion question) throws SQLException {
		QueueRow row = question.front();
		row.joins();
		long token = this.table.takeOrQueue(session, question.request(), row.name(), timeToLive(question.request()));
		if (token == LockTable.MISSING) {
			return this.table.insert(session, question.request(), row.name());
		}
		if (token == 0) {
			row.stays();
		}
		else {
			row.leftQueue();
		}
		return token;
	}

	/**
	 * Take a key. A row that waits reads before it writes: it asks often, and most
	 * answers are that others come first.
	 */
	private long takeIfFirst(Session session, QueueQuestion question) throws SQLException {
		LeaseRequest request = question.request();
		LockTable.Line line = this.table.look(session, request.key(), question.front().name());
		question.first().set(line.first());
		return line.mayTake() ? take(session, request, question.front()) : 0;
	}

	private long queue(Session session, QueueQuestion question) throws SQLException {
		LeaseRequest request = question.request();
		QueueRow row = question.front();
		if (!this.table.exists(session, request.key())) {
			return this.table.insert(session, request, row.name());
		}
		boolean added = join(session, request, row);
		// the key may have been released before others could see a new row
		return added ? takeIfFirst(session, question) : 0;
	}

	private boolean join(Session session, LeaseRequest request, QueueRow row) throws SQLException {
		boolean known = row.isJoined();
		row.joins();
		boolean added = this.members.queue(session, MemberTable.queueOf(request.key()), row.name(), timeToLive(request),
				known);
		row.stays();
		return added;
	}

	/**
	 * Add the rows that are new, and say in time that the others stay.
	 */
	private void keepRows(Session session, QueueQuestion question) throws SQLException {
		LeaseRequest request = question.request();
		if (question.isStayDue()) {
			stay(session, request, question.rows().stream().filter(QueueRow::isStaying).toList());
		}
		List<QueueRow> added = question.behind().stream().filter((row) -> !row.isJoined()).toList();
		for (QueueRow row : question.behind()) {
			if (row.isJoined() && !row.isStaying()) {
				join(session, request, row);
			}
		}
		if (!added.isEmpty()) {
			added.forEach(QueueRow::joins);
			this.members.queueAll(session, MemberTable.queueOf(request.key()), names(added), timeToLive(request));
			added.forEach(QueueRow::stays);
		}
	}

	private void stay(Session session, LeaseRequest request, List<QueueRow> rows) throws SQLException {
		if (!this.members.stayAll(session, MemberTable.queueOf(request.key()), names(rows), timeToLive(request))) {
			for (QueueRow row : rows) {
				join(session, request, row);
			}
		}
	}

	private static List<String> names(List<QueueRow> rows) {
		return rows.stream().map(QueueRow::name).toList();
	}

	private long take(Session session, LeaseRequest request, QueueRow row) throws SQLException {
		boolean withPlace = this.atOnce && row.isJoined();
		long token = this.table.takeInTurn(session, request, row.name(), withPlace);
		if (token != 0 && withPlace) {
			row.leftQueue();
		}
		return token;
	}

	/**
	 * Remove the place of an owner that has the key, unless that was done. Until then
	 * nobody behind it can take the key: this comes before the release.
	 */
	void removePlace(Session session, String key, QueueRow place) throws SQLException {
		if (place.isToLeaveQueue()) {
			this.members.remove(session, MemberTable.queueOf(key), place.name());
			place.leftQueue();
		}
	}

	/**
	 * Remove rows that nobody uses any more from the queue.
	 */
	void remove(Session session, String key, List<QueueRow> rows) throws SQLException {
		this.members.removeAll(session, MemberTable.queueOf(key), names(rows));
		// also if nothing was there: an attempt before may have failed after the removal
		this.table.announceIfFree(session, key);
	}

	/**
	 * Remove an owner from the queue, and from the key if it was granted meanwhile.
	 * @return the message of the release, empty if the owner was not there
	 */
	Optional<String> leave(Session session, String key, String owner) throws SQLException {
		boolean queued = this.members.removeAll(session, MemberTable.queueOf(key), List.of(owner));
		Optional<String> released = this.table.release(session, key, owner);
		if (released.isPresent()) {
			return released;
		}
		this.table.announceIfFree(session, key);
		return queued ? Optional.of(key) : released;
	}

	/**
	 * Return how long a place stays after a question. The interval is at most a quarter
	 * of the lease.
	 */
	private static Duration timeToLive(LeaseRequest request) {
		return request.lookInterval().multipliedBy(LOOKS_PER_PLACE);
	}

}
