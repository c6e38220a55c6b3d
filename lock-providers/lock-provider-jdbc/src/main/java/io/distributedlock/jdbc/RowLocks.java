package io.distributedlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The statements that lock a row for as long as a transaction lasts. A row that another
 * one has locked is skipped and never waited for.
 */
final class RowLocks {

	private static final String TABLE = "distributed_lock_row";

	private static final Duration SWEEP_SILENCE = Duration.ofSeconds(10);

	private final JdbcDialect dialect;

	private final SilenceLimit limit;

	private final String now;

	RowLocks(JdbcDialect dialect, SilenceLimit limit) {
		this.dialect = dialect;
		this.limit = limit;
		this.now = dialect.nowMillis();
	}

	/**
	 * Lock the row of a key, which is made if it is not there.
	 * @param silence how long the server waits for a word of this session from now on
	 * @return {@code false} if somebody else has locked it
	 */
	boolean lock(Session session, String key, Duration silence) throws SQLException {
		if (lockIfThere(session, key, silence)) {
			return true;
		}
		// also ends the lock on the gap where a missing row would be
		session.connection().rollback();
		session.connection().setAutoCommit(true);
		return !exists(session, key) && insert(session, key) && lockIfThere(session, key, silence);
	}

	/**
	 * Return the next token, which a rollback does not take back.
	 */
	long nextToken(Session session) throws SQLException {
		String sequence = this.dialect.nextToken();
		if (sequence != null) {
			return session.number(sequence);
		}
		try (Statement statement = session.connection().createStatement()) {
			statement.executeUpdate("INSERT INTO distributed_lock_token () VALUES ()", Statement.RETURN_GENERATED_KEYS);
			try (ResultSet result = statement.getGeneratedKeys()) {
				result.next();
				return result.getLong(1);
			}
		}
	}

	/**
	 * Let go of a row that is locked, and tell those who wait.
	 */
	void free(Session session, String key) throws SQLException {
		if (this.dialect.notifies()) {
			session.text("SELECT pg_notify(?, ?)", PostgresReleases.CHANNEL, key);
			session.connection().commit();
		}
		else {
			// there is nothing to keep: the row that counted up stays uncounted
			session.connection().rollback();
		}
	}

	/**
	 * Delete rows that are not locked and were made some time ago, one by one: a key that
	 * is in use has its row made anew.
	 * @return how many there were
	 */
	int sweep(Session session, Duration madeBefore) throws SQLException {
		int swept = 0;
		for (String key : session.texts(
				"SELECT lock_key FROM " + TABLE + " WHERE made_at <= " + this.now + " - ? LIMIT " + TableSweep.BATCH,
				madeBefore.toMillis())) {
			if (lockIfThere(session, key, SWEEP_SILENCE)) {
				swept += session.update("DELETE FROM " + TABLE + " WHERE lock_key = ?", key);
			}
			session.connection().commit();
			session.connection().setAutoCommit(true);
			this.limit.lift(session);
		}
		return swept;
	}

	private boolean lockIfThere(Session session, String key, Duration silence) throws SQLException {
		session.connection().setAutoCommit(false);
		this.limit.set(session, silence);
		return session.text("SELECT lock_key FROM " + TABLE + " WHERE lock_key = ? FOR UPDATE SKIP LOCKED",
				key) != null;
	}

	private boolean exists(Session session, String key) throws SQLException {
		return session.number("SELECT COUNT(*) FROM " + TABLE + " WHERE lock_key = ?", key) > 0;
	}

	private boolean insert(Session session, String key) throws SQLException {
		try {
			return session.update("INSERT INTO " + TABLE + " (lock_key, made_at) VALUES (?, " + this.now + ")",
					key) == 1;
		}
		catch (SQLException ex) {
			if (JdbcErrors.isDuplicate(ex)) {
				return true;
			}
			throw ex;
		}
	}

}
