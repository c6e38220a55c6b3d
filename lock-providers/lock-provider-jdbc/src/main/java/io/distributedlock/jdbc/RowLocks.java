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

	private final JdbcDialect dialect;

	private final String now;

	RowLocks(JdbcDialect dialect) {
		this.dialect = dialect;
		this.now = dialect.nowMillis();
	}

	/**
	 * Lock the row of a key, which is made if it is not there.
	 * @return {@code false} if somebody else has locked it
	 */
	boolean lock(Session session, String key) throws SQLException {
		if (lockIfThere(session, key)) {
			return true;
		}
		// also ends the lock on the gap where a missing row would be
		session.connection().rollback();
		session.connection().setAutoCommit(true);
		return !exists(session, key) && insert(session, key) && lockIfThere(session, key);
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
	 * Have the server end the connection if it hears nothing for some time, so that a row
	 * whose holder was cut off does not stay locked. On H2 it stays until the connection
	 * ends.
	 * @return whether the server was asked
	 */
	boolean endWhenSilentFor(Session session, Duration time) throws SQLException {
		switch (this.dialect) {
			case POSTGRESQL -> session.text("SELECT set_config('idle_in_transaction_session_timeout', ?, true)",
					Long.toString(time.toMillis()));
			case MARIADB, MYSQL -> session.execute(
					"SET @distributed_lock_wait = COALESCE(@distributed_lock_wait, @@SESSION.wait_timeout), SESSION wait_timeout = ?",
					time.toSeconds() + 1);
			default -> {
				return false;
			}
		}
		return true;
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
	 * Undo what {@link #endWhenSilentFor} has set.
	 */
	void restore(Session session) throws SQLException {
		if (this.dialect == JdbcDialect.MARIADB || this.dialect == JdbcDialect.MYSQL) {
			session.execute(
					"SET SESSION wait_timeout = CAST(COALESCE(@distributed_lock_wait, @@SESSION.wait_timeout) AS UNSIGNED), @distributed_lock_wait = NULL");
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
			session.connection().setAutoCommit(false);
			if (lockIfThere(session, key)) {
				swept += session.update("DELETE FROM " + TABLE + " WHERE lock_key = ?", key);
			}
			session.connection().commit();
			session.connection().setAutoCommit(true);
		}
		return swept;
	}

	private boolean lockIfThere(Session session, String key) throws SQLException {
		session.connection().setAutoCommit(false);
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
