package io.distributedlock.jdbc.internal.call;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Makes the server end a connection that has been silent for some time, so that a row
 * does not stay locked by an owner that was cut off. H2 has no such limit: there the row
 * stays locked until the connection ends.
 * <p>
 * Why: docs/decisions/032-silent-connections.md, docs/decisions/045-advisory-locks.md
 */
public final class SilenceLimit {

	/**
	 * Sets a limit on MariaDB and MySQL, and keeps that of the session in a variable,
	 * unless one is kept there already.
	 */
	private static final String SET_LIMIT = "SET @distributed_lock_wait = "
			+ "COALESCE(@distributed_lock_wait, @@SESSION.wait_timeout), SESSION wait_timeout = ?";

	/**
	 * Restores the limit that was kept, if there is one.
	 */
	private static final String RESTORE_LIMIT = "SET SESSION wait_timeout = "
			+ "CAST(COALESCE(@distributed_lock_wait, @@SESSION.wait_timeout) AS UNSIGNED), "
			+ "@distributed_lock_wait = NULL";

	private final SqlDialect dialect;

	public SilenceLimit(SqlDialect dialect) {
		this.dialect = dialect;
	}

	/**
	 * Set the limit, in a transaction and before its first lock.
	 * @return whether the server was asked
	 */
	public boolean set(Session session, Duration time) throws SQLException {
		switch (this.dialect) {
			case POSTGRESQL -> session.text("SELECT set_config('idle_in_transaction_session_timeout', ?, true)",
					Long.toString(time.toMillis()));
			// the limit is in whole seconds, so it is rounded up
			case MARIADB, MYSQL -> session.update(SET_LIMIT, time.plusMillis(999).toSeconds());
			default -> {
				return false;
			}
		}
		return true;
	}

	/**
	 * Remove the limit, where it does not end with the transaction.
	 */
	public void lift(Session session) throws SQLException {
		if (this.dialect.isOfMySqlFamily()) {
			// whether the caller still waits or not
			try (PreparedStatement statement = session.connection().prepareStatement(RESTORE_LIMIT)) {
				statement.execute();
			}
		}
	}

	/**
	 * Work in a transaction with the limit. A connection that is broken fails once more
	 * at its end, and the first failure is the one to report.
	 */
	public <T extends @Nullable Object> T inTransaction(Session session, Duration time, JdbcCalls.Work<T> work)
			throws SQLException {
		try {
			session.connection().setAutoCommit(false);
			set(session, time);
			T result = work.on(session);
			session.connection().commit();
			end(session);
			return result;
		}
		catch (SQLException | RuntimeException | Error ex) {
			try {
				session.connection().rollback();
				end(session);
			}
			catch (SQLException | RuntimeException | Error again) {
				ex.addSuppressed(again);
				session.abort();
			}
			throw ex;
		}
	}

	private void end(Session session) throws SQLException {
		session.connection().setAutoCommit(true);
		lift(session);
	}

}
