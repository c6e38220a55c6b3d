package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.DelayedTasks;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the database, each on a connection of its own, so that they neither see nor
 * touch a transaction of the caller. Renewals and releases have threads of their own, so
 * that they never wait behind many attempts.
 */
public final class JdbcCalls implements AutoCloseable {

	/**
	 * The name of the provider that makes these calls.
	 */
	public static final String PROVIDER = "jdbc";

	/**
	 * The longest pause after a collision. The first pause is at most a 32nd of it, about
	 * three milliseconds, and each further one at most twice as long: most collisions end
	 * within one statement, but a crowd must spread.
	 */
	private static final long MAX_PAUSE_NANOS = 100_000_000;

	private final DataSource dataSource;

	private final SqlDialect dialect;

	private final JdbcErrors errors;

	private final Duration commandTimeout;

	/**
	 * Shorter than the command time-out: a caller that gives up after the same time would
	 * often not hear that the pool had no connection, and look for the fault elsewhere.
	 */
	private final long answerWithinNanos;

	private final CallThreads attempts;

	private final CallThreads upkeep;

	private final CallThreads waits;

	/**
	 * Calls off the next sweep.
	 */
	private volatile Runnable sweep = () -> {
	};

	private volatile boolean closed;

	/**
	 * Create calls. Does not open a connection yet.
	 * @param commandTimeout how long one call may take, the wait for a connection
	 * included
	 * @param threads how many attempts run at a time
	 * @param upkeepThreads how many renewals and releases
	 * @param waitThreads how many attempts that wait on the server
	 */
	public JdbcCalls(DataSource dataSource, SqlDialect dialect, Duration commandTimeout, int threads, int upkeepThreads,
			int waitThreads) {
		this.dataSource = dataSource;
		this.dialect = dialect;
		this.commandTimeout = commandTimeout;
		this.answerWithinNanos = commandTimeout.toNanos() / 20 * 19;
		this.errors = new JdbcErrors(dialect, commandTimeout);
		this.attempts = new CallThreads("lock-jdbc", threads);
		this.upkeep = new CallThreads("lock-jdbc-upkeep", upkeepThreads);
		this.waits = new CallThreads("lock-jdbc-wait", waitThreads);
	}

	/**
	 * Make an attempt.
	 * @param call opens a session until the given time
	 * @param giveUpAtNanos when the caller gives up, at the latest after the command
	 * time-out
	 * @param late is told how a call has ended after its caller has stopped waiting
	 */
	public <T extends @Nullable Object> CompletableFuture<T> attempt(Until<T> call, long giveUpAtNanos,
			CallThreads.Late<T> late) {
		return run(this.attempts, call, giveUpAtNanos, late);
	}

	/**
	 * Make an attempt that may wait on the server, on a thread that no other attempt
	 * needs.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> await(Until<T> call, long giveUpAtNanos,
			CallThreads.Late<T> late) {
		return run(this.waits, call, giveUpAtNanos, late);
	}

	/**
	 * Renew or release, in a session of its own.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> upkeep(Work<T> work) {
		return upkeepOfHeld((giveUpAt) -> inSession(work, giveUpAt));
	}

	/**
	 * Remove what a call may have left behind, in a session of its own. Not with the
	 * threads that renew and release, which would wait behind many of these.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> removal(Work<T> work) {
		return run(this.attempts, (giveUpAt) -> inSession(work, giveUpAt), System.nanoTime() + Session.NEVER_NANOS,
				(value) -> {
				});
	}

	/**
	 * Ask the server for an answer, in a session of its own.
	 */
	public CompletableFuture<Boolean> ping() {
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
	public <T extends @Nullable Object> CompletableFuture<T> upkeepOfHeld(Until<T> call) {
		return run(this.upkeep, call, System.nanoTime() + Session.NEVER_NANOS, (value) -> {
		});
	}

	/**
	 * End a row lock, whether somebody waits for that or not.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> end(Supplier<T> ending) {
		CompletableFuture<T> ended = new CompletableFuture<>();
		this.upkeep.runInAnyCase(() -> ended.complete(ending.get()));
		return explained(ended.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS));
	}

	/**
	 * Work in a session that commits each statement. Work again after a collision with
	 * another statement.
	 */
	public <T extends @Nullable Object> T inSession(Work<T> work, long giveUpAtNanos) throws SQLException {
		return retried((giveUpAt) -> {
			try (Session session = open(giveUpAt)) {
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
	public <T extends @Nullable Object> T retried(Until<T> call, long giveUpAtNanos) throws SQLException {
		for (long limit = MAX_PAUSE_NANOS / 32;; limit = Math.min(limit * 2, MAX_PAUSE_NANOS)) {
			try {
				return call.call(giveUpAtNanos);
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

	public Session open(long giveUpAtNanos) throws SQLException {
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

	public SqlDialect dialect() {
		return this.dialect;
	}

	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	void regularly(Duration interval, Runnable task) {
		if (!this.closed) {
			this.sweep = DelayedTasks.later(interval, () -> {
				task.run();
				regularly(interval, task);
			});
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.sweep.run();
		this.attempts.close();
		this.upkeep.close();
		this.waits.close();
	}

	private <T extends @Nullable Object> CompletableFuture<T> run(CallThreads threads, Until<T> call,
			long giveUpAtNanos, CallThreads.Late<T> late) {
		long now = System.nanoTime();
		long timeout = Math.min(giveUpAtNanos - now, this.answerWithinNanos);
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
	public interface Work<T extends @Nullable Object> {

		T on(Session session) throws SQLException;

	}

	/**
	 * A blocking call that sends nothing after a given time.
	 */
	@FunctionalInterface
	public interface Until<T extends @Nullable Object> {

		T call(long giveUpAtNanos) throws SQLException;

	}

}
