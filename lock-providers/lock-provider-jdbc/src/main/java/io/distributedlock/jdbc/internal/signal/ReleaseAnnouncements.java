package io.distributedlock.jdbc.internal.signal;

import java.sql.SQLException;
import java.util.Optional;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import org.jspecify.annotations.Nullable;

/**
 * Announces releases to the waiters on all nodes, where the database can send messages:
 * by {@code NOTIFY} on PostgreSQL, to what {@link PostgresReleases} listens for. The
 * message is sent when the transaction of the session commits. On the other databases
 * waiters poll.
 * <p>
 * The message is the key, which has no white space. A release adds the owner that is
 * first in the queue, so that only this one asks.
 * <p>
 * Why: docs/decisions/044-first-place-of-a-database-is-told.md
 */
public final class ReleaseAnnouncements {

	private final boolean supported;

	private final @Nullable String unsynced;

	public ReleaseAnnouncements(SqlDialect dialect) {
		this.supported = dialect.notifies();
		this.unsynced = dialect.unsynced();
	}

	/**
	 * Announce the release of a key.
	 * @return {@code false} if the database cannot send messages
	 */
	public boolean announce(Session session, String key) throws SQLException {
		if (this.supported) {
			session.text("SELECT pg_notify(?, ?)", PostgresReleases.CHANNEL, key);
		}
		return this.supported;
	}

	/**
	 * Announce that another waiter may be the first.
	 * @param rows where there is a row only if somebody has to be told, by key
	 */
	public void announceIf(Session session, String key, String rows) throws SQLException {
		if (this.supported) {
			session.text("SELECT pg_notify(?, ?) FROM " + rows, PostgresReleases.CHANNEL, key, key);
		}
	}

	/**
	 * Update the row of a key, and announce its release if there was such a row. Both are
	 * one statement, so a release costs one round trip. A crash of the database may undo
	 * it, as long as nobody else has taken the key.
	 * @param update an update of the table of locks, by key and owner
	 * @param first selects who is first in a queue
	 * @param queue the key of the queue
	 * @return the message, empty if there was no such row
	 */
	public Optional<String> announceUpdate(Session session, String update, String first, String key, String owner,
			String queue) throws SQLException {
		if (!this.supported) {
			return (session.update(update, key, owner) == 1) ? Optional.of(key) : Optional.empty();
		}
		// OFFSET has the message made once; Druid's firewall refuses MATERIALIZED
		return Optional.ofNullable(session.text("WITH released AS (" + update + " RETURNING lock_key, " + this.unsynced
				+ "), told AS (SELECT lock_key || COALESCE(' ' || (" + first
				+ "), '') AS message FROM released OFFSET 0) SELECT message, pg_notify('" + PostgresReleases.CHANNEL
				+ "', message) FROM told", key, owner, queue));
	}

	/**
	 * Return what a place in a queue listens for.
	 */
	public static String messageTo(String key, String owner) {
		return key + ' ' + owner;
	}

}
