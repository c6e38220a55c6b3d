package io.distributedlock.engine.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.support.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's own clock and threads: one for timers, a few for calls of providers, and a
 * few for code of the user.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md,
 * docs/decisions/001-asynchronous-engine.md
 */
public final class SystemRuntime implements EngineRuntime {

	/**
	 * How long the user's executor may keep an urgent task: long enough for an executor
	 * that is not full.
	 */
	private static final long URGENT_NANOS = 100_000_000;

	private final ScheduledThreadPoolExecutor timer;

	private final WorkerPool workers;

	private final WorkerPool callbacks;

	private final @Nullable Executor usersExecutor;

	public SystemRuntime(@Nullable Executor usersExecutor) {
		this.usersExecutor = usersExecutor;
		this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreads("lock-timer"));
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		// a JVM that cannot start this thread fails now, and not when a lease must be
		// renewed
		this.timer.prestartCoreThread();
		this.workers = new WorkerPool("lock-engine", this.timer);
		this.callbacks = new WorkerPool("lock-callback", this.timer);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public void schedule(Runnable task, long delayNanos) {
		try {
			this.timer.schedule(task, Math.max(delayNanos, 0), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// closed: no timer is needed any more
		}
	}

	@Override
	public void execute(Runnable task) {
		this.workers.execute(task);
	}

	@Override
	public void callBack(Runnable task) {
		Executor executor = this.usersExecutor;
		this.callbacks.execute((executor != null) ? () -> handOver(executor, task) : task);
	}

	@Override
	public void callBackUrgently(Runnable task) {
		Executor executor = this.usersExecutor;
		if (executor == null) {
			callBack(task);
			return;
		}
		Runnable once = once(task);
		callBack(once);
		// not by the timer, which ends when the template closes: that is a loss, too
		CompletableFuture.delayedExecutor(URGENT_NANOS, TimeUnit.NANOSECONDS, this.callbacks).execute(once);
	}

	private static Runnable once(Runnable task) {
		AtomicBoolean taken = new AtomicBoolean();
		return () -> {
			if (taken.compareAndSet(false, true)) {
				task.run();
			}
		};
	}

	/**
	 * Hand a task to the user's executor. An executor that runs the task itself, blocks
	 * or refuses does so on a thread of ours, for which nobody waits.
	 */
	private static void handOver(Executor executor, Runnable task) {
		Runnable once = once(task);
		try {
			executor.execute(once);
		}
		catch (RejectedExecutionException ex) {
			once.run();
		}
		catch (Throwable ex) {
			once.run();
			// the thread that runs this logs it
			throw ex;
		}
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long timeoutNanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(Math.max(timeoutNanos, 0), TimeUnit.NANOSECONDS);
	}

	@Override
	public long random(long bound) {
		return ThreadLocalRandom.current().nextLong(bound);
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.workers.release();
		this.callbacks.release();
	}

}
