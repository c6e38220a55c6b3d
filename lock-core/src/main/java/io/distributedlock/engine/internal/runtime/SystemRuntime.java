package io.distributedlock.engine.internal.runtime;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

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
	 * When a task comes late that the user's executor keeps: long enough for an executor
	 * that is not full.
	 */
	private static final long LATE_NANOS = 100_000_000;

	private final ScheduledThreadPoolExecutor timer;

	private final WorkerPool workers;

	private final WorkerPool callbacks;

	/**
	 * Instead of the user's executor. All its threads may wait for what the callbacks
	 * bring, as those of that one may.
	 */
	private final WorkerPool ownExecutor;

	private final Executor executor;

	/**
	 * What was given to the executor and must not come late, the oldest first.
	 */
	private final Queue<Handed> watched = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean watching = new AtomicBoolean();

	public SystemRuntime(@Nullable Executor usersExecutor) {
		this.workers = new WorkerPool("lock-engine");
		this.callbacks = new WorkerPool("lock-callback-late");
		this.ownExecutor = new WorkerPool("lock-callback");
		this.executor = (usersExecutor != null) ? usersExecutor : this.ownExecutor;
		this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreads("lock-timer"));
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		// a JVM that cannot start this thread fails now, and not when a lease must be
		// renewed
		this.timer.prestartCoreThread();
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
		handOver(new Handed(task, null));
	}

	@Override
	public void callBack(Runnable task, @Nullable Runnable late) {
		Handed handed = new Handed(task, late);
		// before an executor that blocks has it
		this.watched.add(handed);
		watchOldest();
		handOver(handed);
	}

	@Override
	public void callBackNow(Runnable task) {
		this.callbacks.execute(task);
	}

	/**
	 * Hand a task to the user's executor. An executor that runs the task itself, blocks
	 * or refuses does so on a thread of ours, for which nobody waits.
	 */
	private void handOver(Handed handed) {
		if (this.executor == this.ownExecutor) {
			this.executor.execute(handed);
			return;
		}
		callBackNow(() -> {
			try {
				this.executor.execute(handed);
			}
			catch (Throwable ex) {
				handed.run();
				if (!(ex instanceof RejectedExecutionException)) {
					// the thread that runs this logs it
					throw ex;
				}
			}
		});
	}

	/**
	 * Look for what comes late when the oldest task is late, unless that is planned: once
	 * for all tasks of that time, most of which have begun by then. Not by the timer,
	 * which ends when the template closes: that is a loss, too.
	 */
	private void watchOldest() {
		Handed oldest = this.watched.peek();
		if (oldest == null || !this.watching.compareAndSet(false, true)) {
			return;
		}
		try {
			CompletableFuture
				.delayedExecutor(oldest.lateAtNanos - System.nanoTime(), TimeUnit.NANOSECONDS, this.callbacks)
				.execute(this::watch);
		}
		catch (Throwable ex) {
			this.watching.set(false);
			throw ex;
		}
	}

	private void watch() {
		try {
			long now = System.nanoTime();
			for (Handed next = this.watched.peek(); next != null
					&& (next.lateAtNanos - now <= 0 || !next.isWaiting()); next = this.watched.peek()) {
				this.watched.remove();
				if (next.isWaiting()) {
					callBackNow(next.late);
				}
			}
		}
		finally {
			// also after an error, such as no memory: later tasks are watched
			this.watching.set(false);
			watchOldest();
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
		this.ownExecutor.release();
	}

	/**
	 * A task that was given to the user's executor. It runs once, and nothing refers to
	 * it after that.
	 */
	private static final class Handed extends AtomicReference<@Nullable Runnable> implements Runnable {

		private static final long serialVersionUID = 1;

		private final transient Runnable late;

		private final transient long lateAtNanos = System.nanoTime() + LATE_NANOS;

		private Handed(Runnable task, @Nullable Runnable late) {
			super(task);
			this.late = (late != null) ? late : this;
		}

		private boolean isWaiting() {
			return get() != null;
		}

		@Override
		public void run() {
			Runnable task = getAndSet(null);
			if (task != null) {
				task.run();
			}
		}

	}

}
