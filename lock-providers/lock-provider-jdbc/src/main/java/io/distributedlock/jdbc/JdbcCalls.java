package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the database, each on a connection of its own, so that they neither see nor
 * touch a transaction of the caller. Renewals and releases have threads of their own, so
 * that they never wait behind many attempts.
 */
final class JdbcCalls implements AutoCloseable {

	/**
	 * The longest pause after a collision. The first pause is at most a 32nd of it, about
	 * three milliseconds, and each further one at most twice as long: most collisions end
	 * within one statement, but a crowd must spread.
	 */
	private static final long MAX_PAUSE_NANOS = 100_000_000;

	private final DataSource dataSource;

	private final JdbcErrors errors;

	private final Duration commandTimeout;

	private final CallThreads attempts;

	private final CallThreads upkeep;

	private final CallThreads waits;

	private final ScheduledThreadPoolExecutor timer;

	JdbcCalls(DataSource dataSource, JdbcLockSettings settings) {
		this.dataSource = dataSource;
		this.commandTimeout = settings.commandTimeout();
		this.errors = new JdbcErrors(settings.dialect(), settings.commandTimeout());
		this.attempts = new CallThreads("lock-jdbc", settings.threads());
		this.upkeep = new CallThreads("lock-jdbc-upkeep", settings.upkeepThreads());
		this.waits = new CallThreads("lock-jdbc-wait", settings.waitThreads());
		this.timer = new ScheduledThreadPoolExecutor(1, CallThreads.daemon("lock-jdbc-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Make an attempt.
	 * @param call opens a session until the given time
	 * @param giveUpAtNanos when the caller gives up, at the latest after the command
	 * time-out
	 * @param late is told how a call has ended after its caller has stopped waiting
	 */
	<T extends @Nullable Object> CompletableFuture<T> attempt(Until<T> call, long giveUpAtNanos,
			CallThreads.Late<T> late) {
		return run(this.attempts, call, giveUpAtNanos, late);
	}

	/**
	 * Make an attempt that may wait on the server, on a thread that no other attempt
	 * needs.
	 */
	<T extends @Nullable Object> CompletableFuture<T> await(Until<T> call, long giveUpAtNanos,
			CallThreads.Late<T> late) {
		return run(this.waits, call, giveUpAtNanos, late);
	}

	/**
	 * Renew or release, in a session of its own.
	 */
	<T extends @Nullable Object> CompletableFuture<T> upkeep(Work<T> work) {
		return upkeepOfHeld((giveUpAt) -> inSession(work, giveUpAt));
	}

	/**
	 * Remove what a call may have left behind, in a session of its own. Not with the
	 * threads that renew and release, which would wait behind many of these.
	 */
	<T extends @Nullable Object> CompletableFuture<T> removal(Work<T> work) {
		return run(this.attempts, (giveUpAt) -> inSession(work, giveUpAt), System.nanoTime() + Session.NEVER_NANOS,
				(value) -> {
				});
	}

	/**
	 * Ask the server for an answer, in a session of its own.
	 */
	CompletableFuture<Boolean> ping() {
		return upkeep((session) -> {
			if (!session.isValid()) {
				throw new BackendException("the database did not answer: check that it runs", true, null);
			}
			return true;
		});
	}

	/**
	 * Renew a row lock, in the session that holds it.
	 */
	<T extends @Nullable Object> CompletableFuture<T> upkeepOfHeld(Until<T> call) {
		return run(this.upkeep, call, System.nanoTime() + Session.NEVER_NANOS, (value) -> {
		});
	}

	/**
	 * End a row lock, whether somebody waits for that or not.
	 */
	<T extends @Nullable Object> CompletableFuture<T> end(Supplier<T> ending) {
		CompletableFuture<T> ended = new CompletableFuture<>();
		this.upkeep.runInAnyCase(() -> ended.complete(ending.get()));
		return explained(ended.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS));
	}

	/**
	 * Work in a session that commits each statement. Work again after a collision with
	 * another statement.
	 */
	<T extends @Nullable Object> T inSession(Work<T> work, long giveUpAtNanos) throws SQLException {
		return retried(() -> {
			try (Session session = open(giveUpAtNanos)) {
				return on(session, work);
			}
		}, giveUpAtNanos);
	}

	private static <T extends @Nullable Object> T on(Session session, Work<T> work) throws SQLException {
		try {
			return work.on(session);
		}
		catch (SQLException ex) {
			session.failed(ex);
			throw ex;
		}
	}

	/**
	 * Call again after a collision with another statement, as long as the caller waits.
	 */
	<T extends @Nullable Object> T retried(CallThreads.Call<T> call, long giveUpAtNanos) throws SQLException {
		for (long limit = MAX_PAUSE_NANOS / 32;; limit = Math.min(limit * 2, MAX_PAUSE_NANOS)) {
			try {
				return call.call();
			}
			catch (SQLException ex) {
				long pause = ThreadLocalRandom.current().nextLong(limit / 4, limit);
				if (!SqlCodes.isCollision(ex) || System.nanoTime() + pause - giveUpAtNanos >= 0) {
					throw ex;
				}
				LockSupport.parkNanos(pause);
			}
		}
	}

	/**
	 * Work inside of one transaction.
	 */
	static <T extends @Nullable Object> Work<T> transactional(Work<T> work) {
		return (session) -> {
			session.connection().setAutoCommit(false);
			try {
				T result = work.on(session);
				session.connection().commit();
				session.connection().setAutoCommit(true);
				return result;
			}
			catch (SQLException | RuntimeException ex) {
				rollBack(session, ex);
				throw ex;
			}
		};
	}

	/**
	 * Roll back. A connection that is broken fails here again, and the first failure is
	 * the one to report. If it breaks only now, no work may go on in this session.
	 */
	private static void rollBack(Session session, Exception failure) throws SQLException {
		try {
			session.connection().rollback();
			session.connection().setAutoCommit(true);
		}
		catch (SQLException ex) {
			session.abort();
			if (failure instanceof MissingRowException) {
				throw ex;
			}
			failure.addSuppressed(ex);
		}
	}

	Session open(long giveUpAtNanos) throws SQLException {
		try {
			Session session = Session.open(this.dataSource, this.commandTimeout, giveUpAtNanos);
			this.errors.connected();
			return session;
		}
		catch (SQLException | RuntimeException ex) {
			this.errors.notConnected(ex);
			throw ex;
		}
	}

	Duration commandTimeout() {
		return this.commandTimeout;
	}

	/**
	 * Run a task later.
	 * @return {@code null} if this is closed
	 */
	@Nullable Future<?> later(long delayNanos, Runnable task) {
		try {
			return this.timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

	void regularly(Duration interval, Runnable task) {
		this.timer.scheduleWithFixedDelay(task, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Return how many calls are under way.
	 */
	int running() {
		return this.attempts.running() + this.upkeep.running();
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.attempts.close();
		this.upkeep.close();
		this.waits.close();
	}

	private <T extends @Nullable Object> CompletableFuture<T> run(CallThreads threads, Until<T> call,
			long giveUpAtNanos, CallThreads.Late<T> late) {
		long now = System.nanoTime();
		long timeout = Math.min(giveUpAtNanos - now, this.commandTimeout.toNanos());
		return explained(threads.run(() -> call.call(now + timeout), timeout, late));
	}

	private <T extends @Nullable Object> CompletableFuture<T> explained(CompletableFuture<T> result) {
		return result.exceptionallyCompose(
				(failure) -> CompletableFuture.failedFuture(new CompletionException(this.errors.translate(failure))));
	}

	/**
	 * Work with a connection.
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object> {

		T on(Session session) throws SQLException;

	}

	/**
	 * A blocking call that sends nothing after a given time.
	 */
	@FunctionalInterface
	interface Until<T extends @Nullable Object> {

		T call(long giveUpAtNanos) throws SQLException;

	}

}
