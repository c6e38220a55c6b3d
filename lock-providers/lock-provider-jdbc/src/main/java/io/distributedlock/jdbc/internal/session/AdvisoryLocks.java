package io.distributedlock.jdbc.internal.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;

import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SilenceLimit;
import io.distributedlock.jdbc.internal.call.SqlCodes;
import io.distributedlock.jdbc.internal.call.SqlDialect;

/**
 * The locks that a database keeps in memory for its applications: advisory locks on
 * PostgreSQL, {@code GET_LOCK} on MariaDB and MySQL. No table is involved, and sessions
 * that wait are served in their order. PostgreSQL ends its lock with a transaction, in
 * which nothing else happens: so the limit for silent transactions holds, and the lock
 * also works through a pooler of transactions.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
final class AdvisoryLocks implements SessionLocks {

	/**
	 * No lock within {@code lock_timeout}.
	 */
	private static final String NOT_IN_TIME = "55P03";

	/**
	 * The name of a key's lock on MariaDB and MySQL: 64 characters, the most that MySQL
	 * takes. The locks of a server are those of all its databases.
	 */
	static final String NAME = "SHA2(CONCAT_WS(' ', 'distributed_lock', DATABASE(), ?), 256)";

	/**
	 * Unlocks a key on MariaDB and MySQL.
	 */
	static final String RELEASE = "SELECT RELEASE_LOCK(" + NAME + ")";

	private static final String LIMITS = "SELECT set_config('idle_in_transaction_session_timeout', ?, true), "
			+ "set_config('lock_timeout', ?, true), ";

	private final SqlDialect dialect;

	private final SilenceLimit limit;

	AdvisoryLocks(SqlDialect dialect) {
		this.dialect = dialect;
		this.limit = new SilenceLimit(dialect);
	}

	@Override
	public long lock(Session session, String key, Duration silence, Duration patience) throws SQLException {
		if (this.dialect == SqlDialect.POSTGRESQL) {
			session.connection().setAutoCommit(false);
			return lockInTransaction(session, key, silence, patience);
		}
		this.limit.set(session, silence);
		return (session.number("SELECT GET_LOCK(" + NAME + ", ?)", key, seconds(patience)) == 1) ? nextToken(session)
				: 0;
	}

	/**
	 * MySQL counts whole seconds, and rounds the same fraction in different ways with
	 * prepared and other statements.
	 */
	private Number seconds(Duration patience) {
		double seconds = patience.toMillis() / 1000.0;
		return (this.dialect == SqlDialect.MYSQL) ? (Number) Math.round(seconds) : (Number) seconds;
	}

	/**
	 * One statement asks for both: outside a transaction a proxy may send each to another
	 * server, but those that name a lock to the one that has it.
	 */
	@Override
	public boolean has(Session session, String key) throws SQLException {
		return this.dialect == SqlDialect.POSTGRESQL
				|| session.number("SELECT IS_USED_LOCK(" + NAME + ") = CONNECTION_ID()", key) == 1;
	}

	@Override
	public boolean free(Session session, String key) throws SQLException {
		if (this.dialect == SqlDialect.POSTGRESQL) {
			session.connection().commit();
			return true;
		}
		return session.number(RELEASE, key) == 1;
	}

	/**
	 * Lock without waiting, or wait in the queue of the server. The token is drawn after
	 * the lock is there: PostgreSQL computes columns in their order.
	 */
	private static long lockInTransaction(Session session, String key, Duration silence, Duration patience)
			throws SQLException {
		String columns = patience.isZero()
				? "CASE WHEN pg_try_advisory_xact_lock(?) THEN nextval('distributed_lock_token') END"
				: "pg_advisory_xact_lock(?), nextval('distributed_lock_token')";
		try {
			Long token = session.first(LIMITS + columns, (row) -> row.getLong(row.getMetaData().getColumnCount()),
					Long.toString(silence.toMillis()), Long.toString(patience.toMillis()), idOf(key));
			return (token != null) ? token : 0;
		}
		catch (SQLException ex) {
			if (NOT_IN_TIME.equals(SqlCodes.state(ex))) {
				return 0;
			}
			throw ex;
		}
	}

	private long nextToken(Session session) throws SQLException {
		String sequence = this.dialect.nextToken();
		if (sequence != null) {
			return session.number(sequence);
		}
		session.connection().setAutoCommit(false);
		long token = session.updateNumbered("INSERT INTO distributed_lock_token () VALUES ()");
		// the counter goes on, and no row is left
		session.connection().rollback();
		session.connection().setAutoCommit(true);
		return token;
	}

	/**
	 * Return the number of a key: the first 64 bits of its digest.
	 */
	static long idOf(String key) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256")
				.digest(("distributed_lock " + key).getBytes(StandardCharsets.UTF_8));
			return ByteBuffer.wrap(digest).getLong();
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Each JVM has SHA-256", ex);
		}
	}

}
