package io.distributedlock.jdbc;

import java.sql.SQLException;

/**
 * Announces releases to the waiters on all nodes, where the database can send messages:
 * by {@code NOTIFY} on PostgreSQL, to what {@link PostgresReleases} listens for. The
 * message is sent when the transaction of the session commits. On the other databases
 * waiters poll.
 */
final class ReleaseAnnouncements {

	private final boolean supported;

	ReleaseAnnouncements(JdbcDialect dialect) {
		this.supported = dialect.notifies();
	}

	/**
	 * Announce the release of a key.
	 * @return {@code false} if the database cannot send messages
	 */
	boolean announce(Session session, String key) throws SQLException {
		if (this.supported) {
			session.text("SELECT pg_notify(?, ?)", PostgresReleases.CHANNEL, key);
		}
		return this.supported;
	}

	/**
	 * Update the row of a key, and announce its release if there was such a row. Both are
	 * one statement, so a release costs one round trip.
	 * @param update an update of the table of locks
	 * @return whether there was such a row
	 */
	boolean announceUpdate(Session session, String update, Object... parameters) throws SQLException {
		if (!this.supported) {
			return session.update(update, parameters) == 1;
		}
		return session.isAny("WITH released AS (" + update + " RETURNING lock_key) SELECT pg_notify('"
				+ PostgresReleases.CHANNEL + "', lock_key) FROM released", parameters);
	}

}
