package io.distributedlock.engine.internal.runtime;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool whose task gets an idle thread or a new one, and waits only while as many as
 * there may be are busy. So a task that blocks delays no other. It has no threads when
 * there is nothing to do. It takes every task, and never runs one on the thread that
 * brings it.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 */
final class WorkerPool extends ThreadPoolExecutor {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private static final LimitedLog warnings = new LimitedLog(logger);

	/**
	 * If so many tasks block at the same time, others wait for them. With more, the
	 * stacks of the threads would cost more memory than the tasks are worth.
	 */
	static final int MOST_THREADS = 512;

	/**
	 * The pause before a task is tried again for which the JVM could not start a thread.
	 */
	private static final long RETRY_MILLIS = 100;

	private final String name;

	/**
	 * How many tasks run or wait.
	 */
	private final AtomicInteger tasks = new AtomicInteger();

	WorkerPool(String name) {
		this(name, new Waiting());
	}

	private WorkerPool(String name, Waiting waiting) {
		super(0, MOST_THREADS, 10, TimeUnit.SECONDS, waiting, new DaemonThreads(name),
				(task, full) -> waiting.keep(task));
		this.name = name;
		waiting.pool = this;
		ThreadFactory threads = getThreadFactory();
		setThreadFactory((tasks) -> threads.newThread(() -> {
			tasks.run();
			onThreadEnds();
		}));
		// a JVM that cannot start the JDK's thread for delays fails now, and not when it
		// has no other thread
		CompletableFuture.delayedExecutor(0, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
		});
	}

	/**
	 * A task may have come for a thread that was about to end. The others may block.
	 */
	private void onThreadEnds() {
		if (this.tasks.get() > getPoolSize()) {
			execute(() -> {
				// its thread takes what waits next
			});
		}
	}

	@Override
	public void execute(Runnable task) {
		this.tasks.incrementAndGet();
		try {
			super.execute(() -> run(task));
		}
		catch (Throwable ex) {
			// the JVM could not start a thread
			this.tasks.decrementAndGet();
			later(task, ex);
		}
	}

	/**
	 * Let idle threads end immediately. Tasks that come later still run.
	 */
	void release() {
		setKeepAliveTime(1, TimeUnit.MILLISECONDS);
	}

	private void run(Runnable task) {
		try {
			Guard.run(this.name, task);
		}
		finally {
			this.tasks.decrementAndGet();
		}
	}

	/**
	 * Return whether a task, which is counted already, need not get a new thread.
	 */
	private boolean isToWait() {
		int threads = getPoolSize();
		if (threads == MOST_THREADS && this.tasks.get() > threads) {
			warnings.warn("{} threads of {} are busy with tasks that block, and others wait for them", threads,
					this.name);
			return true;
		}
		return this.tasks.get() <= threads;
	}

	/**
	 * Try a task again. Not by the timer of the template, which ends when that closes:
	 * whoever waits for the task would wait for good.
	 */
	private void later(Runnable task, Throwable failure) {
		logger.error("A thread of {} could not be started; its task is tried again in {} ms", this.name, RETRY_MILLIS,
				failure);
		CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, this).execute(task);
	}

	/**
	 * The tasks that wait for a thread. It refuses a task while no thread is idle, so
	 * that the pool starts one.
	 */
	private static final class Waiting extends LinkedBlockingQueue<Runnable> {

		private static final long serialVersionUID = 1;

		private transient @Nullable WorkerPool pool;

		@Override
		public boolean offer(Runnable task) {
			return Objects.requireNonNull(this.pool).isToWait() && super.offer(task);
		}

		/**
		 * Keep a task that got no new thread, as others were started just now.
		 */
		private void keep(Runnable task) {
			super.offer(task);
		}

	}

}
