package io.distributedlock.jdbc;

import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking calls on a few threads. Nobody waits for one longer than he wants to, and
 * one that nobody waits for any more is not begun. A thread whose call goes on after that
 * is stuck: another one stands in for it until it is back.
 */
final class CallThreads implements AutoCloseable {

	private static final int MAX_QUEUED = 1000;

	/**
	 * How many threads stand in for each one at most, so that a database that answers
	 * nobody does not take all memory.
	 */
	private static final int MAX_SUBSTITUTES = 4;

	private final int size;

	private final ThreadPoolExecutor threads;

	private final ReentrantLock resizing = new ReentrantLock();

	private int stuck;

	CallThreads(String name, int size) {
		this.size = size;
		this.threads = new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_QUEUED),
				daemon(name));
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Run a call.
	 * @param timeoutNanos how long the caller waits for it
	 * @param late is told how a call has ended for which nobody waited any more
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(Call<T> call, long timeoutNanos, Late<T> late) {
		CompletableFuture<T> result = new CompletableFuture<>();
		AtomicReference<Phase> phase = new AtomicReference<>(Phase.QUEUED);
		try {
			this.threads.execute(() -> {
				if (!result.isDone() && phase.compareAndSet(Phase.QUEUED, Phase.RUNNING)) {
					runNow(call, result, phase, late);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(refused(ex));
		}
		catch (Error ex) {
			// no memory for another thread, say
			return CompletableFuture.failedFuture(ex);
		}
		result.orTimeout(Math.max(timeoutNanos, 0), TimeUnit.NANOSECONDS).whenComplete((value, failure) -> {
			if (phase.compareAndSet(Phase.RUNNING, Phase.STUCK)) {
				resize(+1);
			}
		});
		return result;
	}

	/**
	 * Run a task in any case, however long it has to wait for its turn and also when this
	 * is closed.
	 */
	void runInAnyCase(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			daemon("lock-jdbc-last").newThread(task).start();
		}
	}

	/**
	 * Run what has been accepted, and accept no more.
	 */
	@Override
	public void close() {
		this.threads.shutdown();
	}

	/**
	 * Return how many calls are being run.
	 */
	int running() {
		return this.threads.getActiveCount();
	}

	static ThreadFactory daemon(String name) {
		AtomicLong count = new AtomicLong();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	private <T extends @Nullable Object> void runNow(Call<T> call, CompletableFuture<T> result,
			AtomicReference<Phase> phase, Late<T> late) {
		T value;
		try {
			value = call.call();
		}
		catch (SQLException | RuntimeException | Error ex) {
			ended(phase);
			if (!result.completeExceptionally(ex)) {
				late.failed(ex);
			}
			return;
		}
		ended(phase);
		if (!result.complete(value)) {
			late.succeeded(value);
		}
	}

	private void ended(AtomicReference<Phase> phase) {
		if (phase.getAndSet(Phase.ENDED) == Phase.STUCK) {
			resize(-1);
		}
	}

	private BackendException refused(RejectedExecutionException cause) {
		if (this.threads.isShutdown()) {
			return new BackendException("the lock provider is closed", false, cause);
		}
		return new BackendException(
				"%d calls wait for the database already: it is too slow, or lock.jdbc.threads too few"
					.formatted(MAX_QUEUED),
				true, cause);
	}

	private void resize(int change) {
		this.resizing.lock();
		try {
			this.stuck += change;
			int wanted = this.size + Math.min(this.stuck, MAX_SUBSTITUTES * this.size);
			if (wanted > this.threads.getMaximumPoolSize()) {
				this.threads.setMaximumPoolSize(wanted);
			}
			this.threads.setCorePoolSize(wanted);
			this.threads.setMaximumPoolSize(wanted);
		}
		finally {
			this.resizing.unlock();
		}
	}

	private enum Phase {

		QUEUED, RUNNING, STUCK, ENDED

	}

	/**
	 * Is told how a call has ended for which nobody waited any more.
	 */
	interface Late<T extends @Nullable Object> {

		void succeeded(T value);

		default void failed(Throwable failure) {
		}

	}

	/**
	 * A blocking call.
	 */
	@FunctionalInterface
	interface Call<T extends @Nullable Object> {

		T call() throws SQLException;

	}

}
