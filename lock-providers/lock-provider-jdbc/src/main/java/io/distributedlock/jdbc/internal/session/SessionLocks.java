package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;

import io.distributedlock.jdbc.internal.call.Session;

/**
 * What a session locks until it unlocks it or ends.
 */
interface SessionLocks {

	/**
	 * Lock a key.
	 * @param silence after how long a silence of this session the server ends it, if it
	 * has locked the key
	 * @param patience how long to wait for another session, zero not to wait
	 * @return a number for the tokens, zero if another session has the key
	 */
	long lock(Session session, String key, Duration silence, Duration patience) throws SQLException;

	/**
	 * Return whether the server still has the session that locked a key. A driver or a
	 * proxy may have opened another one after the first was lost, and somebody else may
	 * have had the lock meanwhile.
	 */
	boolean has(Session session, String key) throws SQLException;

	/**
	 * Unlock a key.
	 * @return whether this session had it
	 */
	boolean free(Session session, String key) throws SQLException;

	/**
	 * Delete what is not needed any more.
	 * @return how many rows
	 */
	default int sweep(Session session, Duration unusedFor) throws SQLException {
		return 0;
	}

}
