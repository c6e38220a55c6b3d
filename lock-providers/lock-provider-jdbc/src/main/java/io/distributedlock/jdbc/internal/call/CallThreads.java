package io.distributedlock.jdbc.internal.call;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.DelayedTasks;
import io.distributedlock.spi.support.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking calls on a few threads. No caller waits for its call longer than its
 * time-out, and a call whose caller has stopped waiting is not begun. A thread whose call
 * goes on after that is stuck: another thread replaces it until it comes back.
 * <p>
 * Why: docs/decisions/045-advisory-locks.md
 */
public final class CallThreads implements AutoCloseable {

	/**
	 * How many calls may wait for a thread. Most of any further ones would time out
	 * before they are begun, and would only take memory.
	 */
	private static final int MAX_QUEUED = 1000;

	/**
	 * How many threads replace each stuck one at most. Without a limit, threads would use
	 * up all memory while a database answers nobody.
	 */
	private static final int MAX_SUBSTITUTES = 4;

	private final int size;

	private final ThreadPoolExecutor threads;

	private final Mutex resizing = new Mutex();

	private int stuck;

	CallThreads(String name, int size) {
		this(new DaemonThreads(name), size);
	}

	CallThreads(ThreadFactory factory, int size) {
		this.size = size;
		this.threads = new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_QUEUED),
				factory);
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Run a call.
	 * @param timeoutNanos how long the caller waits for it
	 * @param late is told how a call has ended after its caller has stopped waiting
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
			// for example no memory for another thread
			return CompletableFuture.failedFuture(ex);
		}
		// what the caller does next may need the thread that replaces a stuck one
		return result.orTimeout(Math.max(timeoutNanos, 0), TimeUnit.NANOSECONDS).whenComplete((value, failure) -> {
			if (phase.compareAndSet(Phase.RUNNING, Phase.STUCK)) {
				resize(+1);
			}
		});
	}

	/**
	 * Run a task in any case: however long it has to wait for a thread, and also after
	 * this object was closed.
	 */
	void runInAnyCase(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			runAlone(new DaemonThreads("lock-jdbc-last"), task);
		}
		catch (Error ex) {
			runWithoutThread(task);
		}
	}

	/**
	 * Run a task on a thread of its own, in any case.
	 * @param factory makes the thread
	 */
	static void runAlone(ThreadFactory factory, Runnable task) {
		try {
			factory.newThread(task).start();
		}
		catch (Error ex) {
			runWithoutThread(task);
		}
	}

	/**
	 * Run a task for which the JVM had no thread. It blocks, but nobody else would return
	 * its connection.
	 */
	private static void runWithoutThread(Runnable task) {
		DelayedTasks.after(Duration.ZERO).execute(task);
	}

	/**
	 * Run what has been accepted, and accept no more.
	 */
	@Override
	public void close() {
		this.threads.shutdown();
	}

	/**
	 * Return how many calls are under way.
	 */
	int running() {
		return this.threads.getActiveCount();
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
				"%s calls wait for the database already: check that it is fast enough, or raise lock.jdbc.threads"
					.formatted(MAX_QUEUED),
				true, cause);
	}

	private void resize(int change) {
		this.resizing.run(() -> {
			this.stuck += change;
			int wanted = this.size + Math.min(this.stuck, MAX_SUBSTITUTES * this.size);
			if (wanted > this.threads.getMaximumPoolSize()) {
				this.threads.setMaximumPoolSize(wanted);
			}
			this.threads.setCorePoolSize(wanted);
			this.threads.setMaximumPoolSize(wanted);
		});
	}

	private enum Phase {

		QUEUED, RUNNING, STUCK, ENDED

	}

	/**
	 * Is told how a call has ended after its caller has stopped waiting.
	 */
	public interface Late<T extends @Nullable Object> {

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
