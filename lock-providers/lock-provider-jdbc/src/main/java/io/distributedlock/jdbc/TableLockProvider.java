package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.AskingPlace;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.OwnerNames;
import io.distributedlock.spi.UnknownOwners;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants leases by a row for each key, which is taken in one statement or by
 * compare-and-set.
 */
final class TableLockProvider implements LockProvider, LockQueue {

	private static final Logger logger = LoggerFactory.getLogger(TableLockProvider.class);

	/**
	 * How often a compare-and-set is tried that meets another one.
	 */
	private static final int VERSION_TRIES = 3;

	private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

	private final JdbcCalls calls;

	private final LockTable table;

	private final JdbcLockSettings settings;

	private final TableShares shares;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	TableLockProvider(JdbcCalls calls, JdbcLockSettings settings) {
		this.calls = calls;
		this.table = new LockTable(settings.dialect(), calls.timeoutSeconds());
		this.shares = new TableShares(this.table, new MemberTable(settings.dialect(), calls.timeoutSeconds()));
		this.settings = settings;
		calls.regularly(SWEEP_INTERVAL, this::sweep);
	}

	@Override
	public String name() {
		return JdbcLocks.NAME;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return Set.of(LockCapability.FENCING, LockCapability.FAIR, LockCapability.SHARED, LockCapability.SEMAPHORE,
				LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		String owner = this.owners.next();
		TableLease candidate = candidate(request, owner);
		return this.calls
			.withConnection((connection) -> take(connection, request, owner), (late) -> candidate.release())
			.handle((token, failure) -> granted(candidate, request, token, failure));
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.FAIR;
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		String key = request.key();
		String owner = this.owners.next();
		return AskingPlace.take(() -> {
			TableLease candidate = candidate(request, owner);
			return onRow(key,
					(connection) -> this.shares.acquireInTurn(connection, key, owner, request.leaseTime(), true))
				.thenApply((token) -> (token != 0) ? withToken(candidate, request, token) : null);
		}, () -> this.unknownOwners.remove(key, request.leaseTime(),
				() -> onRow(key, (connection) -> this.shares.leaveQueue(connection, key, owner))), null);
	}

	private TableLease candidate(LeaseRequest request, String owner) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		if (request.type() == LockType.READ || request.type() == LockType.SEMAPHORE) {
			String row = rowOf(request);
			return new TableLease(request.key(), OptionalLong.empty(), term,
					(lease) -> onRow(row, (connection) -> this.shares.renew(connection, row, owner, lease)),
					() -> onRow(row, (connection) -> {
						boolean had = this.shares.release(connection, row, owner);
						this.table.notifyWaiters(connection, request.key());
						return had;
					}));
		}
		String key = request.key();
		return new TableLease(key, OptionalLong.empty(), term,
				(lease) -> this.calls.withConnection((connection) -> this.table.renew(connection, key, owner, lease)),
				() -> this.calls.withConnection((connection) -> this.table.release(connection, key, owner)));
	}

	private @Nullable Lease granted(TableLease candidate, LeaseRequest request, @Nullable Long token,
			@Nullable Throwable failure) {
		if (failure != null) {
			RuntimeException exception = JdbcLocks.backendException(failure);
			if (exception instanceof BackendException backendException && backendException.isRetryable()) {
				this.unknownOwners.remove(request.key(), request.leaseTime(), candidate::release);
			}
			throw exception;
		}
		return (token != null && token != 0) ? withToken(candidate, request, token) : null;
	}

	private static TableLease withToken(TableLease lease, LeaseRequest request, long token) {
		// permits are held together: a number of their order would guard nothing
		return (request.type() == LockType.SEMAPHORE) ? lease
				: new TableLease(lease.key(), OptionalLong.of(token), lease.term(), lease.renewal(), lease.ending());
	}

	private static String rowOf(LeaseRequest request) {
		return (request.type() == LockType.SEMAPHORE) ? TableShares.permitsOf(request.key()) : request.key();
	}

	/**
	 * Work in a transaction that starts with locking a row, which is made if it is not
	 * there.
	 */
	private <T> CompletableFuture<T> onRow(String row, JdbcCalls.Work<T> work) {
		return this.calls.withConnection((connection) -> onRow(connection, row, work));
	}

	private <T> T onRow(Connection connection, String row, JdbcCalls.Work<T> work) throws SQLException {
		JdbcCalls.Work<T> transaction = this.calls.transactional(work);
		try {
			return transaction.on(connection);
		}
		catch (LockTable.MissingRowException ex) {
			this.table.insertFree(connection, row);
			return transaction.on(connection);
		}
	}

	/**
	 * Delete rows that nobody has used for a while, in the background.
	 */
	CompletableFuture<Integer> sweepNow() {
		return this.calls.withConnection((connection) -> {
			int members = this.shares.sweep(connection, this.settings.sweepAfter());
			return members + this.table.sweep(connection, this.settings.sweepAfter());
		});
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
		String key = request.key();
		Duration lease = request.leaseTime();
		return switch (request.type()) {
			case EXCLUSIVE, WRITE -> (this.settings.strategy() == JdbcLockStrategy.VERSION)
					? takeByVersion(connection, request, owner) : takeRow(connection, request, owner);
			case FAIR ->
				onRow(connection, key, (locked) -> this.shares.acquireInTurn(locked, key, owner, lease, false));
			case READ -> onRow(connection, key, (locked) -> this.shares.acquire(locked, key, owner, lease, 0));
			case SEMAPHORE -> onRow(connection, rowOf(request),
					(locked) -> this.shares.acquire(locked, rowOf(request), owner, lease, request.permits()));
		};
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
