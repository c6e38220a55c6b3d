package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The statements on the table of those who share a key or queue for it. All of them are
 * executed while the row of the key is locked, so that members of one key never collide.
 */
final class MemberTable {

	private static final String OF_KEY = " FROM distributed_lock_member WHERE lock_key = ?";

	private final Statements statements;

	private final String now;

	MemberTable(JdbcDialect dialect, int timeoutSeconds) {
		this.statements = new Statements(timeoutSeconds);
		this.now = dialect.nowMillis();
	}

	/**
	 * Add a member behind the others, or let it stay for longer in its place.
	 */
	void put(Connection connection, String key, String owner, Duration lease) throws SQLException {
		if (!stay(connection, key, owner, lease)) {
			long ticket = this.statements.number(connection, "SELECT MAX(ticket)" + OF_KEY, key) + 1;
			this.statements.update(connection,
					"INSERT INTO distributed_lock_member (lock_key, owner, ticket, expires_at) VALUES (?, ?, ?, "
							+ this.now + " + ?)",
					key, owner, ticket, lease.toMillis());
		}
	}

	/**
	 * Let a member stay for longer.
	 * @return {@code false} if it is none
	 */
	boolean stay(Connection connection, String key, String owner, Duration lease) throws SQLException {
		return this.statements.update(connection,
				"UPDATE distributed_lock_member SET expires_at = " + this.now + " + ? WHERE lock_key = ? AND owner = ?",
				lease.toMillis(), key, owner) == 1;
	}

	boolean remove(Connection connection, String key, String owner) throws SQLException {
		return this.statements.update(connection, "DELETE" + OF_KEY + " AND owner = ?", key, owner) == 1;
	}

	void dropExpired(Connection connection, String key) throws SQLException {
		this.statements.update(connection, "DELETE" + OF_KEY + " AND expires_at <= " + this.now, key);
	}

	boolean isMember(Connection connection, String key, String owner) throws SQLException {
		return this.statements.number(connection, "SELECT COUNT(*)" + OF_KEY + " AND owner = ?", key, owner) == 1;
	}

	long count(Connection connection, String key) throws SQLException {
		return this.statements.number(connection, "SELECT COUNT(*)" + OF_KEY, key);
	}

	/**
	 * Return when the last member ends, on the clock of the database.
	 */
	long lastExpiry(Connection connection, String key) throws SQLException {
		return this.statements.number(connection, "SELECT MAX(expires_at)" + OF_KEY, key);
	}

	/**
	 * Return the owner who has waited longest.
	 */
	@Nullable String first(Connection connection, String key) throws SQLException {
		return this.statements.text(connection, "SELECT owner" + OF_KEY + " ORDER BY ticket", key);
	}

	int sweep(Connection connection, Duration endedFor) throws SQLException {
		return this.statements.update(connection,
				"DELETE FROM distributed_lock_member WHERE expires_at < " + this.now + " - ?", endedFor.toMillis());
	}

}
