package io.distributedlock.jdbc.internal.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.SqlDialect;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;

/**
 * Says who has a key by the tables, and ends the lease of an owner.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 */
final class TableOwners implements LockOwners {

	/**
	 * How long a lease runs matters only to those who renew it.
	 */
	private static final Duration UNUSED = Duration.ofSeconds(1);

	private final JdbcCalls calls;

	private final TableLeases leases;

	private final String owners;

	TableOwners(JdbcCalls calls, TableLeases leases, SqlDialect dialect) {
		this.calls = calls;
		this.leases = leases;
		String now = dialect.nowMillis();
		// members count only while their row says that it is shared. A queue has members
		// too, but no row
		this.owners = "SELECT l.lock_key, l.owner, l.expires_at - " + now
				+ " AS rest, 0 AS shared, l.token FROM distributed_lock l"
				+ " WHERE l.lock_key = ? AND l.owner <> ? AND l.expires_at > " + now
				+ " UNION ALL SELECT m.lock_key, m.owner, m.expires_at - " + now
				+ ", 1, 0 FROM distributed_lock_member m JOIN distributed_lock l ON l.lock_key = m.lock_key"
				+ " WHERE m.lock_key IN (?, ?) AND l.owner = ? AND m.expires_at > " + now;
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.calls.upkeep((session) -> session.all(this.owners, (row) -> owner(key, row), key,
				TableShares.SHARED, key, TableShares.permitsOf(key), TableShares.SHARED));
	}

	/**
	 * The row has the last token of a grant, and nobody's if it is shared.
	 */
	private static LockOwner owner(String key, ResultSet row) throws SQLException {
		Optional<Duration> remaining = Optional.of(Duration.ofMillis(Math.max(0, row.getLong(3))));
		if (row.getInt(4) == 0) {
			return new LockOwner(row.getString(2), LockType.EXCLUSIVE, OptionalLong.of(row.getLong(5)), remaining);
		}
		LockType type = row.getString(1).equals(key) ? LockType.READ : LockType.SEMAPHORE;
		return new LockOwner(row.getString(2), type, OptionalLong.empty(), remaining);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.leases.candidate(new LeaseRequest(key, UNUSED, owner.type()), owner.id()).release();
	}

}
