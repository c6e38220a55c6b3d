package io.distributedlock.jdbc.internal.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SharedAttempts;
import io.distributedlock.jdbc.internal.call.SilenceLimit;
import io.distributedlock.jdbc.internal.call.TableSweep;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockOwner;
import io.distributedlock.spi.LockOwners;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.CommandLease;
import io.distributedlock.spi.support.OwnerNames;
import io.distributedlock.spi.support.UnknownOwners;
import org.jspecify.annotations.Nullable;

/**
 * Grants leases by a row for each key, which is taken in one statement or by
 * compare-and-set.
 */
public final class TableLockProvider implements LockProvider, LockQueue, LockOwners, ReleaseSignal {

	/**
	 * How often a compare-and-set that meets another one is tried. Whoever meets others
	 * so often has met owners who took the lock, so the lock is contended: the engine
	 * asks again.
	 */
	private static final int VERSION_TRIES = 3;

	/**
	 * A hand-over waits for a release, a question and an acquisition, and mostly for the
	 * disk. On two processors it takes 2 to 5 milliseconds.
	 */
	private static final Duration HAND_OVER_TIME = Duration.ofMillis(5);

	private final JdbcCalls calls;

	private final @Nullable PostgresReleases releases;

	private final LockTable table;

	private final boolean byVersion;

	private final Duration sweepAfter;

	private final TableShares shares;

	private final TableQueue queue;

	private final TableLeases leases;

	private final TableLines lines;

	private final TableOwners tableOwners;

	private final OwnerNames owners = new OwnerNames();

	private final UnknownOwners unknownOwners = new UnknownOwners();

	private final SharedAttempts attempts = new SharedAttempts(this::attemptAlone);

	/**
	 * Create a provider.
	 * @param byVersion whether rows are taken by compare-and-set
	 * @param sweepAfter how long a row that nobody uses is kept
	 * @param releases the messages of releases, {@code null} if there are none
	 */
	public TableLockProvider(JdbcCalls calls, boolean byVersion, Duration sweepAfter,
			@Nullable PostgresReleases releases) {
		this.calls = calls;
		this.releases = releases;
		this.table = new LockTable(calls.dialect());
		MemberTable members = new MemberTable(calls.dialect());
		this.shares = new TableShares(this.table, members, new SilenceLimit(calls.dialect()), calls.commandTimeout());
		this.queue = new TableQueue(this.table, members, calls.dialect());
		this.leases = new TableLeases(calls, this.table, this.shares, this::tellReleased);
		this.lines = new TableLines(calls, this.table, this.queue, this.leases, releases, this.owners,
				this.unknownOwners);
		this.tableOwners = new TableOwners(calls, this.leases, calls.dialect());
		this.byVersion = byVersion;
		this.sweepAfter = sweepAfter;
		TableSweep.regularly(calls, this::sweepNow);
	}

	private void tellReleased(String message) {
		this.lines.released(message);
	}

	@Override
	public String name() {
		return JdbcCalls.PROVIDER;
	}

	@Override
	public Set<LockCapability> capabilities() {
		Set<LockCapability> capabilities = EnumSet.of(LockCapability.FENCING, LockCapability.FAIR,
				LockCapability.SHARED, LockCapability.SEMAPHORE, LockCapability.EXACT_EXPIRY,
				LockCapability.LOCK_DELAY);
		if (this.releases != null) {
			capabilities.add(LockCapability.BLOCKING_WAIT);
		}
		return capabilities;
	}

	@Override
	public @Nullable Subscription listen(String key, Runnable onRelease) {
		return (this.releases != null) ? this.releases.listen(key, onRelease) : null;
	}

	@Override
	public Duration handOverTime() {
		return HAND_OVER_TIME;
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return this.attempts.make(TableLeases.rowOf(request), request);
	}

	/**
	 * An attempt of a type that queues uses what earlier calls of this JVM have left in
	 * the queue.
	 */
	private CompletionStage<@Nullable Lease> attemptAlone(LeaseRequest request) {
		CompletionStage<@Nullable Lease> left = queues(request.type()) ? this.lines.takeLeftBehind(request) : null;
		if (left == null) {
			return attempt(request);
		}
		return left.<@Nullable Lease>thenCompose((lease) -> (lease != null || request.type() == LockType.FAIR)
				? CompletableFuture.<@Nullable Lease>completedFuture(lease) : attempt(request));
	}

	private CompletionStage<@Nullable Lease> attempt(LeaseRequest request) {
		String owner = this.owners.next();
		CommandLease candidate = this.leases.candidate(request, owner);
		UnknownOutcome unknown = new UnknownOutcome(() -> this.unknownOwners.remove(request.key(), request.leaseTime(),
				() -> this.leases.remove(request, owner)));
		return this.calls.<Long>attempt((giveUpAt) -> this.calls.inSession((session) -> {
			unknown.sent();
			return take(session, request, owner);
		}, giveUpAt), request.giveUpAtNanos(), unknown).handle((token, failure) -> {
			if (failure != null) {
				throw unknown.explain(failure);
			}
			return (token != 0) ? TableLeases.granted(candidate, request, token) : null;
		});
	}

	@Override
	public boolean queues(LockType type) {
		return type == LockType.FAIR || (type == LockType.EXCLUSIVE && !this.byVersion);
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		return this.lines.add(request, true);
	}

	@Override
	public CompletionStage<List<LockOwner>> owners(String key) {
		return this.tableOwners.owners(key);
	}

	@Override
	public CompletionStage<Boolean> revoke(String key, LockOwner owner) {
		return this.tableOwners.revoke(key, owner);
	}

	/**
	 * Delete rows that nobody has used for a while, in the background.
	 */
	public CompletableFuture<Integer> sweepNow() {
		return this.calls.upkeep((session) -> {
			int members = this.shares.members().sweep(session, this.sweepAfter);
			return members + this.table.sweep(session, this.sweepAfter);
		});
	}

	@Override
	public CompletionStage<?> ping() {
		return this.calls.ping();
	}

	@Override
	public void close() {
		if (this.releases != null) {
			this.releases.close();
		}
		this.unknownOwners.close();
		this.lines.close();
		this.calls.close();
	}

	private long take(Session session, LeaseRequest request, String owner) throws SQLException {
		String key = request.key();
		Duration lease = request.leaseTime();
		return switch (request.type()) {
			case EXCLUSIVE, WRITE ->
				this.byVersion ? takeByVersion(session, request, owner) : this.table.take(session, request, owner);
			case FAIR -> this.queue.acquire(session, request, owner);
			case READ -> this.shares.onRow(session, key, (locked) -> this.shares.acquire(locked, key, owner, lease, 0));
			case SEMAPHORE -> this.shares.onRow(session, TableLeases.rowOf(request), (locked) -> this.shares
				.acquire(locked, TableLeases.rowOf(request), owner, lease, request.permits()));
		};
	}

	private long takeByVersion(Session session, LeaseRequest request, String owner) throws SQLException {
		for (int attempt = 1; attempt <= VERSION_TRIES; attempt++) {
			LockTable.Version version = this.table.read(session, request.key());
			if (version == null) {
				return this.table.insert(session, request, owner);
			}
			if (!version.free()) {
				return 0;
			}
			if (this.table.takeIfVersionIs(session, request, version.token(), owner)) {
				return version.token() + 1;
			}
			// random, so that those who met do not meet again
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000, 4_000_000L * attempt));
		}
		return 0;
	}

}
