package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases by the row lock of {@code SELECT ... FOR UPDATE}, held by a connection
 * that stays open. A row that another one has locked is skipped and never waited for. The
 * token comes from a sequence, which a rollback does not take back: it rises also after a
 * holder whose connection died.
 */
final class ForUpdateLockProvider implements LockProvider {

	private static final String TABLE = "distributed_lock_row";

	private final JdbcCalls calls;

	private final JdbcDialect dialect;

	private final int maxConnections;

	private final Semaphore connections;

	ForUpdateLockProvider(JdbcCalls calls, JdbcLockSettings settings) {
		this.calls = calls;
		this.dialect = settings.dialect();
		this.maxConnections = settings.maxLockConnections();
		this.connections = new Semaphore(this.maxConnections);
	}

	@Override
	public String name() {
		return JdbcLocks.NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.FENCING, LockCapability.EXACT_EXPIRY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		return this.calls.run(() -> acquire(request, term), (late) -> late.ifPresent(ForUpdateLease::end))
			.handle((lease, failure) -> {
				if (failure != null) {
					throw JdbcLocks.backendException(failure);
				}
				lease.ifPresent((held) -> held.endAfter(request.leaseTime()));
				return lease.orElse(null);
			});
	}

	/**
	 * Give a connection back that holds no lock any more.
	 */
	void giveBack(Connection connection) {
		this.connections.release();
		try (connection) {
			connection.setAutoCommit(true);
		}
		catch (SQLException ex) {
			// it is broken, and the pool will see that
		}
	}

	int freeConnections() {
		return this.connections.availablePermits();
	}

	@Override
	public void close() {
		this.calls.close();
	}

	private Optional<ForUpdateLease> acquire(LeaseRequest request, LeaseTerm term) throws SQLException {
		if (!this.connections.tryAcquire()) {
			throw new BackendException(
					"all %d connections for locks are in use: raise lock.jdbc.max-lock-connections and the size of the pool, or use the strategy row"
						.formatted(this.maxConnections),
					true, null);
		}
		Connection connection;
		try {
			connection = this.calls.openCommitting();
		}
		catch (SQLException | RuntimeException ex) {
			this.connections.release();
			throw ex;
		}
		boolean held = false;
		try {
			if (!lockRow(connection, request.key())) {
				return Optional.empty();
			}
			ForUpdateLease lease = new ForUpdateLease(this, this.calls, request.key(), connection,
					nextToken(connection), term, this.dialect.notifies());
			held = true;
			return Optional.of(lease);
		}
		finally {
			if (!held) {
				rollback(connection);
				giveBack(connection);
			}
		}
	}

	private boolean lockRow(Connection connection, String key) throws SQLException {
		if (tryLockRow(connection, key)) {
			return true;
		}
		// also ends the lock on the gap where a missing row would be
		connection.rollback();
		connection.setAutoCommit(true);
		return !exists(connection, key) && insert(connection, key) && tryLockRow(connection, key);
	}

	private boolean tryLockRow(Connection connection, String key) throws SQLException {
		connection.setAutoCommit(false);
		try (PreparedStatement statement = prepare(connection,
				"SELECT lock_key FROM " + TABLE + " WHERE lock_key = ? FOR UPDATE SKIP LOCKED", key);
				ResultSet result = statement.executeQuery()) {
			return result.next();
		}
	}

	private boolean exists(Connection connection, String key) throws SQLException {
		try (PreparedStatement statement = prepare(connection, "SELECT 1 FROM " + TABLE + " WHERE lock_key = ?", key);
				ResultSet result = statement.executeQuery()) {
			return result.next();
		}
	}

	private boolean insert(Connection connection, String key) throws SQLException {
		try (PreparedStatement statement = prepare(connection, "INSERT INTO " + TABLE + " (lock_key) VALUES (?)",
				key)) {
			return statement.executeUpdate() == 1;
		}
		catch (SQLException ex) {
			if (JdbcErrors.isDuplicate(ex)) {
				return true;
			}
			throw ex;
		}
	}

	private long nextToken(Connection connection) throws SQLException {
		String sequence = this.dialect.nextToken();
		try (Statement statement = connection.createStatement()) {
			if (sequence == null) {
				statement.executeUpdate("INSERT INTO distributed_lock_token () VALUES ()",
						Statement.RETURN_GENERATED_KEYS);
			}
			try (ResultSet result = (sequence != null) ? statement.executeQuery(sequence)
					: statement.getGeneratedKeys()) {
				result.next();
				return result.getLong(1);
			}
		}
	}

	private PreparedStatement prepare(Connection connection, String sql, String key) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql);
		statement.setQueryTimeout(this.calls.timeoutSeconds());
		statement.setString(1, key);
		return statement;
	}

	private static void rollback(Connection connection) {
		try {
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
		}
		catch (SQLException ex) {
			// it is broken: so is its lock
		}
	}

}
