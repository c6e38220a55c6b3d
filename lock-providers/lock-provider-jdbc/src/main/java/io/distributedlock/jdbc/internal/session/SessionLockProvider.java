package io.distributedlock.jdbc.internal.session;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockCapability;
import io.distributedlock.jdbc.internal.call.JdbcCalls;
import io.distributedlock.jdbc.internal.call.Session;
import io.distributedlock.jdbc.internal.call.SharedAttempts;
import io.distributedlock.jdbc.internal.call.SilenceLimit;
import io.distributedlock.jdbc.internal.call.TableSweep;
import io.distributedlock.jdbc.internal.signal.PostgresReleases;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.CommandLease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants leases by locks that a connection holds and that end with it: row locks or
 * advisory locks. The fencing token comes from a sequence, which a rollback does not
 * reset: it also rises after a holder whose connection died. Not so after a crash of the
 * database: a number that was drawn just before may be drawn again.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
public class SessionLockProvider implements LockProvider, ReleaseSignal {

	/**
	 * The capabilities where the database tells waiters of releases.
	 */
	static final Set<LockCapability> TOLD_CAPABILITIES = Set.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING,
			LockCapability.EXACT_EXPIRY);

	private static final Logger logger = LoggerFactory.getLogger(SessionLockProvider.class);

	/**
	 * Up to 24 days: PostgreSQL counts the silence after which it ends a connection in
	 * milliseconds, as an int.
	 */
	private static final LeaseLimits LIMITS = new LeaseLimits(Duration.ofMillis(1), Duration.ofDays(24));

	/**
	 * How many tokens one number of the sequence stands for. The next number is drawn
	 * once this lease is over, so those of a key rise, also if a JVM uses several.
	 */
	private static final int TOKENS_PER_NUMBER = 1024;

	private final JdbcCalls calls;

	private final SilenceLimit limit;

	private final SessionLocks locks;

	private final int maxLockConnections;

	private final Duration sweepAfter;

	private final @Nullable PostgresReleases releases;

	private final Semaphore connections;

	private final SharedAttempts attempts = new SharedAttempts(this::attempt);

	private final Set<HeldSession> held = ConcurrentHashMap.newKeySet();

	SessionLockProvider(JdbcCalls calls, SessionLocks locks, int maxLockConnections, Duration sweepAfter,
			@Nullable PostgresReleases releases) {
		this.calls = calls;
		this.limit = new SilenceLimit(calls.dialect());
		this.locks = locks;
		this.maxLockConnections = maxLockConnections;
		this.sweepAfter = sweepAfter;
		this.releases = releases;
		this.connections = new Semaphore(maxLockConnections);
		TableSweep.regularly(calls, this::sweepNow);
	}

	/**
	 * Create a provider whose locks are row locks.
	 * @param maxLockConnections how many connections hold locks at a time
	 * @param sweepAfter how long a row that nobody uses is kept
	 * @param releases the messages of releases, {@code null} if there are none
	 */
	public static SessionLockProvider ofRows(JdbcCalls calls, int maxLockConnections, Duration sweepAfter,
			@Nullable PostgresReleases releases) {
		return new SessionLockProvider(calls, new RowLocks(calls.dialect()), maxLockConnections, sweepAfter, releases);
	}

	@Override
	public String name() {
		return JdbcCalls.PROVIDER;
	}

	@Override
	public Set<LockCapability> capabilities() {
		return (this.releases != null) ? TOLD_CAPABILITIES
				: Set.of(LockCapability.FENCING, LockCapability.EXACT_EXPIRY);
	}

	@Override
	public @Nullable Subscription listen(String key, Runnable onRelease) {
		return (this.releases != null) ? this.releases.listen(key, onRelease) : null;
	}

	@Override
	public LeaseLimits leaseLimits() {
		return LIMITS;
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return this.attempts.make(request.key(), request);
	}

	private CompletionStage<@Nullable Lease> attempt(LeaseRequest request) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), request.leaseTime());
		return this.calls
			.attempt((giveUpAt) -> this.calls.retried((until) -> acquire(request, term, until), giveUpAt),
					request.giveUpAtNanos(), SessionLockProvider::release)
			.thenApply((lease) -> lease.orElse(null));
	}

	/**
	 * Wait for a key in the queue of the server, for some time.
	 * @param patience how long to wait, less than the command time-out
	 * @return completes with the lease, or with {@code null} if others are in front
	 */
	CompletionStage<@Nullable Lease> await(LeaseRequest request, Duration patience) {
		return this.calls
			.await((giveUpAt) -> awaitGrant(request, patience, giveUpAt), request.giveUpAtNanos(),
					SessionLockProvider::release)
			.thenApply((lease) -> lease.orElse(null));
	}

	private static void release(Optional<Lease> late) {
		late.ifPresent(Lease::release);
	}

	/**
	 * Return whether a session still has its lock. If so, the server keeps it for one
	 * more lease.
	 */
	boolean isAlive(Session session, String key, Duration leaseTime) throws SQLException {
		boolean answers = this.limit.set(session, untilCutOff(leaseTime)) || session.isValid();
		return answers && this.locks.has(session, key);
	}

	/**
	 * End a row lock and close its session. Always ends it: if the session does not
	 * answer, its connection is ended.
	 * @return whether the session had its row lock until now
	 */
	boolean end(HeldSession lease, String key, Session session) {
		boolean had = false;
		try {
			session.giveUpAt(System.nanoTime() + Session.NEVER_NANOS);
			had = this.locks.free(session, key);
			makeReusable(session);
		}
		catch (SQLException | RuntimeException | Error ex) {
			session.abort();
			logger.debug("The connection that held lock '{}' was broken", key, ex);
		}
		finally {
			this.held.remove(lease);
			close(session);
		}
		return had;
	}

	public int freeConnections() {
		return this.connections.availablePermits();
	}

	/**
	 * Delete rows that nobody has locked and that were inserted some time ago.
	 */
	public CompletableFuture<Integer> sweepNow() {
		return this.calls.upkeep((session) -> this.locks.sweep(session, this.sweepAfter));
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
		this.calls.close();
		CompletableFuture<?>[] endings = this.held.stream()
			.map(HeldSession::release)
			.toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(endings).get(this.calls.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Some row locks were not released in time; they end with their connections", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Optional<Lease> acquire(LeaseRequest request, LeaseTerm term, long giveUpAtNanos) throws SQLException {
		return inSession(request.key(), giveUpAtNanos, (session) -> {
			long number = this.locks.lock(session, request.key(), untilCutOff(request.leaseTime()), Duration.ZERO);
			return (number != 0) ? Optional.of(hold(request, session, number, term)) : Optional.empty();
		});
	}

	/**
	 * The server may give a waiting session the key when its JVM has stopped: so it ends
	 * a session that does not take up its grant soon. Until then the grant is a short
	 * lease, which the engine renews while the work goes on.
	 */
	private Optional<Lease> awaitGrant(LeaseRequest request, Duration patience, long giveUpAtNanos)
			throws SQLException {
		return inSession(request.key(), giveUpAtNanos, (session) -> {
			Duration grant = this.calls.commandTimeout();
			long sentAt = System.nanoTime();
			long number = this.locks.lock(session, request.key(), grant, patience);
			if (number == 0) {
				return Optional.empty();
			}
			long answeredAt = System.nanoTime();
			long usable = grant.minus(request.lockDelay()).toNanos();
			if (request.leaseTime().compareTo(grant) > 0 && 2 * (answeredAt - sentAt) <= usable) {
				return Optional.of(hold(request, session, number, new LeaseTerm(sentAt, grant)));
			}
			this.limit.set(session, untilCutOff(request.leaseTime()));
			return Optional.of(hold(request, session, number, new LeaseTerm(answeredAt, request.leaseTime())));
		});
	}

	private Lease hold(LeaseRequest request, Session session, long number, LeaseTerm term) {
		HeldSession lease = new HeldSession(this, this.calls, request.key(), session);
		this.held.add(lease);
		lease.endAfter(term);
		return new CommandLease(request.key(), term, lease::renew, lease::release)
			.withFencingTokens(number * TOKENS_PER_NUMBER, Math.min(request.tokens(), TOKENS_PER_NUMBER));
	}

	/**
	 * Lock in a new session, which stays open if it gets the lock.
	 */
	private Optional<Lease> inSession(String key, long giveUpAtNanos, JdbcCalls.Work<Optional<Lease>> locking)
			throws SQLException {
		if (!this.connections.tryAcquire()) {
			throw new BackendException(
					("all %s connections for locks are in use: raise lock.jdbc.max-lock-connections and the "
							+ "size of the pool, or use the strategy row")
						.formatted(this.maxLockConnections),
					true, null);
		}
		Session session;
		try {
			session = this.calls.open(giveUpAtNanos);
		}
		catch (SQLException | RuntimeException | Error ex) {
			this.connections.release();
			throw ex;
		}
		Optional<Lease> lease;
		try {
			lease = locking.on(session);
		}
		catch (SQLException | RuntimeException | Error ex) {
			session.failed(ex);
			closeUnlocked(session, key);
			throw ex;
		}
		if (lease.isEmpty()) {
			closeUnlocked(session, null);
		}
		return lease;
	}

	private void makeReusable(Session session) throws SQLException {
		this.limit.lift(session);
		session.connection().setAutoCommit(true);
	}

	/**
	 * Close a session that holds no lock.
	 * @param key the key that it may have locked nevertheless, {@code null} for none
	 */
	private void closeUnlocked(Session session, @Nullable String key) {
		try {
			session.giveUpAt(System.nanoTime() + Session.NEVER_NANOS);
			if (!session.connection().getAutoCommit()) {
				this.calls.dialect().unlock(session.connection());
				if (key != null && session.lockedBy() != null) {
					// announces it: another one may have been refused meanwhile
					this.locks.free(session, key);
				}
			}
			if (key != null && this.calls.dialect().isOfMySqlFamily()) {
				session.number(AdvisoryLocks.RELEASE, key);
			}
			makeReusable(session);
		}
		catch (SQLException | RuntimeException | Error ex) {
			session.abort();
		}
		close(session);
	}

	private void close(Session session) {
		try {
			session.close();
		}
		finally {
			this.connections.release();
		}
	}

	/**
	 * Return after how long a silence the server ends the connection. The holder ends its
	 * row lock itself when the lease is over, and has a command time-out for that.
	 */
	private Duration untilCutOff(Duration leaseTime) {
		return leaseTime.plus(this.calls.commandTimeout());
	}

}
