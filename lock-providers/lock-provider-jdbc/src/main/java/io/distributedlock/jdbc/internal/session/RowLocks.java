package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SilenceLimit;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.jdbc.internal.call.TableSweep;
import io.distributedlock.jdbc.internal.signal.ReleaseAnnouncements;

/**
 * The statements that lock a row until a transaction ends. They skip a row that somebody
 * else has locked, and never wait for it.
 */
final class RowLocks implements SessionLocks {

	private static final String TABLE = "distributed_lock_row";

	private static final String SESSION_ON_SERVER = "CONNECTION_ID()";

	/**
	 * How long a row may stay locked by a sweep that was cut off. A sweep that works
	 * needs some milliseconds.
	 */
	private static final Duration SWEEP_SILENCE = Duration.ofSeconds(10);

	private final SqlDialect dialect;

	private final ReleaseAnnouncements announcements;

	private final SilenceLimit limit;

	private final String now;

	RowLocks(SqlDialect dialect) {
		this.dialect = dialect;
		this.announcements = new ReleaseAnnouncements(dialect);
		this.limit = new SilenceLimit(dialect);
		this.now = dialect.nowMillis();
	}

	@Override
	public long lock(Session session, String key, Duration silence, Duration patience) throws SQLException {
		return lockRow(session, key, silence) ? nextToken(session) : 0;
	}

	/**
	 * Lock the row of a key, and insert it first if it is not there.
	 * @return {@code false} if somebody else has locked it
	 */
	private boolean lockRow(Session session, String key, Duration silence) throws SQLException {
		if (lockInTransaction(session, key, silence)) {
			return true;
		}
		// also ends the lock on the gap where a missing row would be
		this.dialect.unlock(session.connection());
		session.connection().setAutoCommit(true);
		return !exists(session, key) && insertAlone(session, key) && lockInTransaction(session, key, silence);
	}

	/**
	 * Insert a row without waiting for another session that inserts it, too. On MariaDB
	 * and MySQL an insertion of a row that exists waits until no session has the row
	 * locked, and cannot be told not to wait: there a session inserts under an advisory
	 * lock.
	 * @return {@code false} if another session does so, in order to lock the row
	 */
	private boolean insertAlone(Session session, String key) throws SQLException {
		if (!this.dialect.isOfMySqlFamily()) {
			insert(session, key);
			return true;
		}
		if (session.number("SELECT GET_LOCK(" + AdvisoryLocks.NAME + ", 0)", key) != 1) {
			return false;
		}
		boolean missing = !exists(session, key);
		if (missing) {
			insert(session, key);
		}
		session.number(AdvisoryLocks.RELEASE, key);
		return missing;
	}

	/**
	 * Return the next token. A rollback does not undo that.
	 */
	private long nextToken(Session session) throws SQLException {
		String sequence = this.dialect.nextToken();
		return (sequence != null) ? session.number(sequence)
				: session.updateNumbered("INSERT INTO distributed_lock_token () VALUES ()");
	}

	/**
	 * Drivers and proxies of MariaDB and MySQL can be told to open another session when
	 * one is lost, and to repeat its transaction there.
	 */
	@Override
	public boolean has(Session session, String key) throws SQLException {
		return !this.dialect.isOfMySqlFamily()
				|| Objects.equals(session.lockedBy(), session.text("SELECT " + SESSION_ON_SERVER));
	}

	/**
	 * Unlock a row, and announce that to waiters.
	 */
	@Override
	public boolean free(Session session, String key) throws SQLException {
		if (this.announcements.announce(session, key)) {
			// a rollback would send no message
			session.connection().commit();
		}
		else {
			this.dialect.unlock(session.connection());
		}
		return true;
	}

	/**
	 * Delete rows that are not locked and were inserted some time ago, one by one. A key
	 * that is in use gets a new row with its next attempt.
	 * @return how many there were
	 */
	@Override
	public int sweep(Session session, Duration madeBefore) throws SQLException {
		int swept = 0;
		for (String key : session.texts("SELECT lock_key FROM " + TABLE + " WHERE made_at <= " + this.now + " - ?"
				+ this.dialect.first(TableSweep.BATCH), madeBefore.toMillis())) {
			swept += this.limit.inTransaction(session, SWEEP_SILENCE, (locked) -> lockIfThere(locked, key)
					? locked.update("DELETE FROM " + TABLE + " WHERE lock_key = ?", key) : 0);
		}
		return swept;
	}

	private boolean lockInTransaction(Session session, String key, Duration silence) throws SQLException {
		session.connection().setAutoCommit(false);
		this.limit.set(session, silence);
		return lockIfThere(session, key);
	}

	private boolean lockIfThere(Session session, String key) throws SQLException {
		session.lockedBy(session.text("SELECT " + (this.dialect.isOfMySqlFamily() ? SESSION_ON_SERVER : "lock_key")
				+ " FROM " + TABLE + " WHERE lock_key = ? FOR UPDATE SKIP LOCKED", key));
		return session.lockedBy() != null;
	}

	private boolean exists(Session session, String key) throws SQLException {
		return session.number("SELECT COUNT(*) FROM " + TABLE + " WHERE lock_key = ?", key) > 0;
	}

	private void insert(Session session, String key) throws SQLException {
		session.insert("INSERT INTO " + TABLE + " (lock_key, made_at) VALUES (?, " + this.now + ")", key);
	}

}
