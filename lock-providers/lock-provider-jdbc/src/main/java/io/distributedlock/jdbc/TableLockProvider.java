package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.UnknownOwners;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants leases by a row for each key, which is taken in one statement or by
 * compare-and-set.
 */
final class TableLockProvider implements LockProvider {

	private static final Logger logger = LoggerFactory.getLogger(TableLockProvider.class);

	/**
	 * How often a compare-and-set is tried that meets another one.
	 */
	private static final int VERSION_TRIES = 3;

	private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

	private final JdbcCalls calls;

	private final LockTable table;

	private final JdbcLockSettings settings;

	private final UnknownOwners unknownOwners = new UnknownOwners();

	TableLockProvider(JdbcCalls calls, JdbcLockSettings settings) {
		this.calls = calls;
		this.table = new LockTable(settings.dialect(), calls.timeoutSeconds());
		this.settings = settings;
		calls.regularly(SWEEP_INTERVAL, this::sweep);
	}

	@Override
	public String name() {
		return JdbcLocks.NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.FENCING, LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String key = request.key();
		String owner = UUID.randomUUID().toString();
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		CompletableFuture<Long> token = this.calls.withConnection((connection) -> take(connection, request, owner),
				(late) -> release(key, owner));
		return token.handle((value, failure) -> {
			if (failure != null) {
				RuntimeException exception = JdbcLocks.backendException(failure);
				if (exception instanceof BackendException backendException && backendException.isRetryable()) {
					this.unknownOwners.remove(key, request.leaseTime(), () -> release(key, owner));
				}
				throw exception;
			}
			return (value != 0) ? new TableLease(this, key, owner, value, term) : null;
		});
	}

	CompletionStage<@Nullable LeaseTerm> renew(String key, String owner, Duration leaseTime) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), leaseTime);
		return this.calls.withConnection((connection) -> this.table.renew(connection, key, owner, leaseTime))
			.thenApply((renewed) -> renewed ? term : null);
	}

	CompletionStage<Boolean> release(String key, String owner) {
		return this.calls.withConnection((connection) -> this.table.release(connection, key, owner));
	}

	/**
	 * Delete rows that nobody has used for a while, in the background.
	 */
	CompletableFuture<Integer> sweepNow() {
		return this.calls.withConnection((connection) -> this.table.sweep(connection, this.settings.sweepAfter()));
	}

	@Override
	public void close() {
		this.unknownOwners.close();
		this.calls.close();
	}

	private void sweep() {
		sweepNow().whenComplete((rows, failure) -> {
			if (failure != null) {
				logger.debug("Unused rows of locks were not swept, which is tried again later", failure);
			}
		});
	}

	private long take(Connection connection, LeaseRequest request, String owner) throws SQLException {
		return (this.settings.strategy() == JdbcLockStrategy.VERSION) ? takeByVersion(connection, request, owner)
				: takeRow(connection, request, owner);
	}

	private long takeRow(Connection connection, LeaseRequest request, String owner) throws SQLException {
		long token = this.table.takeIfFree(connection, request.key(), owner, request.leaseTime());
		if (token == 0 && !this.table.read(connection, request.key()).exists()) {
			token = this.table.insert(connection, request.key(), owner, request.leaseTime());
		}
		return token;
	}

	private long takeByVersion(Connection connection, LeaseRequest request, String owner) throws SQLException {
		for (int attempt = 1; attempt <= VERSION_TRIES; attempt++) {
			LockTable.Version version = this.table.read(connection, request.key());
			if (!version.exists()) {
				return this.table.insert(connection, request.key(), owner, request.leaseTime());
			}
			if (!version.free()) {
				return 0;
			}
			if (this.table.takeIfVersionIs(connection, request.key(), version.token(), owner, request.leaseTime())) {
				return version.token() + 1;
			}
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000, 4_000_000L * attempt));
		}
		return 0;
	}

}
