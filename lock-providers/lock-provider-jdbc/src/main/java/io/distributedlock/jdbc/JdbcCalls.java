package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking calls on a few threads of its own, each with a connection of its own that
 * is not the caller's: its transaction is neither seen nor touched.
 */
final class JdbcCalls implements AutoCloseable {

	private static final int MAX_QUEUED = 1000;

	private static final int TRIES = 4;

	private final DataSource dataSource;

	private final JdbcErrors errors;

	private final Duration commandTimeout;

	private final ThreadPoolExecutor threads;

	private final ScheduledThreadPoolExecutor timer;

	JdbcCalls(DataSource dataSource, JdbcLockSettings settings) {
		this.dataSource = dataSource;
		this.commandTimeout = settings.commandTimeout();
		this.errors = new JdbcErrors(settings.dialect(), settings.commandTimeout());
		this.threads = new ThreadPoolExecutor(settings.threads(), settings.threads(), 30, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(MAX_QUEUED), daemon("lock-jdbc"));
		this.threads.allowCoreThreadTimeOut(true);
		this.timer = new ScheduledThreadPoolExecutor(1, daemon("lock-jdbc-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Work with a connection that commits each statement.
	 */
	<T extends @Nullable Object> CompletableFuture<T> withConnection(Work<T> work) {
		return withConnection(work, (late) -> {
		});
	}

	/**
	 * Work with a connection that commits each statement.
	 * @param undo what to do with a result that comes later than the command time-out
	 */
	<T extends @Nullable Object> CompletableFuture<T> withConnection(Work<T> work, Consumer<T> undo) {
		return run(() -> {
			for (int attempt = 1;; attempt++) {
				try (Connection connection = openCommitting()) {
					return work.on(connection);
				}
				catch (SQLException ex) {
					if (!JdbcErrors.isCollision(ex) || attempt == TRIES) {
						throw ex;
					}
					LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 20_000_000L * attempt));
				}
			}
		}, undo);
	}

	/**
	 * Work inside of one transaction.
	 */
	<T extends @Nullable Object> Work<T> transactional(Work<T> work) {
		return (connection) -> {
			connection.setAutoCommit(false);
			try {
				T result = work.on(connection);
				connection.commit();
				connection.setAutoCommit(true);
				return result;
			}
			catch (SQLException | RuntimeException ex) {
				rollBack(connection, ex);
				throw ex;
			}
		};
	}

	/**
	 * A connection that is broken says so again: what broke it comes first.
	 */
	private static void rollBack(Connection connection, Exception failure) {
		try {
			connection.rollback();
			connection.setAutoCommit(true);
		}
		catch (SQLException ex) {
			failure.addSuppressed(ex);
		}
	}

	/**
	 * Run a call, and give it up after the command time-out.
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(Call<T> call) {
		return run(call, (late) -> {
		});
	}

	/**
	 * Run a call, and give it up after the command time-out.
	 * @param undo what to do with a result that comes later than that
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(Call<T> call, Consumer<T> undo) {
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			this.threads.execute(() -> {
				if (result.isDone()) {
					return;
				}
				try {
					T value = call.call();
					if (!result.complete(value)) {
						undo.accept(value);
					}
				}
				catch (SQLException | RuntimeException | Error ex) {
					result.completeExceptionally(this.errors.translate(ex));
				}
			});
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture
				.failedFuture(new BackendException(this.threads.isShutdown() ? "the lock provider is closed"
						: "%d calls wait for the database already: it is too slow, or lock.jdbc.threads too few"
							.formatted(MAX_QUEUED),
						!this.threads.isShutdown(), ex));
		}
		result.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
		return result.exceptionallyCompose(
				(failure) -> CompletableFuture.failedFuture(new CompletionException(this.errors.translate(failure))));
	}

	Connection openCommitting() throws SQLException {
		Connection connection = this.dataSource.getConnection();
		if (!connection.getAutoCommit()) {
			connection.setAutoCommit(true);
		}
		return connection;
	}

	int timeoutSeconds() {
		return (int) Math.max(1, this.commandTimeout.toSeconds());
	}

	Future<?> later(Duration delay, Runnable task) {
		try {
			return this.timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.completedFuture(null);
		}
	}

	void regularly(Duration interval, Runnable task) {
		this.timer.scheduleWithFixedDelay(task, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.threads.shutdown();
	}

	static ThreadFactory daemon(String name) {
		AtomicLong count = new AtomicLong();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	/**
	 * Work with a connection.
	 */
	@FunctionalInterface
	interface Work<T extends @Nullable Object> {

		T on(Connection connection) throws SQLException;

	}

	/**
	 * A blocking call.
	 */
	@FunctionalInterface
	interface Call<T extends @Nullable Object> {

		T call() throws SQLException;

	}

}
