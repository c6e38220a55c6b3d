package io.distributedlock.engine.internal.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.RejectedExecutionException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor with a few threads. It adds threads while tasks that block keep others
 * waiting, and has none when there is nothing to do. So thousands of short tasks do not
 * make thousands of threads, and a task that blocks delays the others only for
 * milliseconds. It takes every task, and never runs one on the thread that brings it.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 */
final class ElasticWorkers implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(ElasticWorkers.class);

	/**
	 * If so many tasks block at the same time, others wait for them. With more, the
	 * stacks of the threads would cost more memory than the tasks are worth.
	 */
	static final int MOST_THREADS = 512;

	private static final int USUAL_THREADS = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());

	/**
	 * How many threads are added at each step, so that 100 tasks that block delay the
	 * next ones by a quarter of a second at most.
	 */
	private static final int THREADS_PER_STEP = 4;

	/**
	 * How many threads work off the tasks that wait when the template closes.
	 */
	private static final int THREADS_FOR_THE_REST = 64;

	/**
	 * Longer than a task that does not block, shorter than a delay that anybody notices.
	 */
	private static final long STEP_MILLIS = 10;

	/**
	 * The pause before a task is tried again for which the JVM could not start a thread.
	 */
	private static final long RETRY_MILLIS = 100;

	private final String name;

	private final ScheduledExecutorService timer;

	/**
	 * Tasks that found all threads busy.
	 */
	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean watched = new AtomicBoolean();

	private final ThreadPoolExecutor pool;

	ElasticWorkers(String name, ScheduledExecutorService timer) {
		this.name = name;
		this.timer = timer;
		this.pool = new ThreadPoolExecutor(0, USUAL_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				new DaemonThreads(name), (task, full) -> keepWaiting(task));
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.pool.execute(new Task(task));
		}
		catch (Throwable ex) {
			// the JVM could not start a thread
			later(task, ex);
		}
	}

	/**
	 * Let idle threads end immediately. Tasks that come later still run.
	 */
	void release() {
		this.pool.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
		// the timer that would add threads while tasks wait is closed
		this.pool.setMaximumPoolSize(MOST_THREADS);
		for (int i = Math.min(this.waiting.size(), THREADS_FOR_THE_REST); i > 0; i--) {
			Guard.run(this.name, () -> this.pool.execute(this::runWaiting));
		}
	}

	private void keepWaiting(Runnable refused) {
		if (refused instanceof Task task) {
			this.waiting.add(task.work);
			if (this.watched.compareAndSet(false, true)) {
				watchLater();
			}
		}
	}

	private void runWaiting() {
		for (Runnable next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
			Guard.run(this.name, next);
		}
	}

	private void watchLater() {
		try {
			this.timer.schedule(this::watch, STEP_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// closed: no timer will see whether the threads of the pool block
			this.watched.set(false);
			new DaemonThreads(this.name).newThread(this::runWaiting).start();
		}
	}

	/**
	 * Runs on the timer thread. Tasks that still wait after a step wait for tasks that
	 * block, so threads are added.
	 */
	private void watch() {
		if (this.waiting.isEmpty()) {
			this.pool.setMaximumPoolSize(USUAL_THREADS);
			this.watched.set(false);
			if (this.waiting.isEmpty() || !this.watched.compareAndSet(false, true)) {
				return;
			}
		}
		int most = this.pool.getMaximumPoolSize();
		if (most < MOST_THREADS) {
			this.pool.setMaximumPoolSize(Math.min(most + THREADS_PER_STEP, MOST_THREADS));
			if (this.pool.getMaximumPoolSize() == MOST_THREADS) {
				logger.warn("{} threads of {} are busy with tasks that block, and others wait for them", MOST_THREADS,
						this.name);
			}
		}
		for (int i = 0; i < THREADS_PER_STEP; i++) {
			Guard.run(this.name, () -> this.pool.execute(this::runWaiting));
		}
		watchLater();
	}

	private void later(Runnable task, Throwable failure) {
		logger.error("A thread of {} could not be started; its task is tried again in {} ms", this.name, RETRY_MILLIS,
				failure);
		try {
			this.timer.schedule(() -> execute(task), RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.error("A task of {} is dropped, as the lock template is closed", this.name, ex);
		}
	}

	/**
	 * One task, and after it those that wait.
	 */
	private final class Task implements Runnable {

		private final Runnable work;

		private Task(Runnable work) {
			this.work = work;
		}

		@Override
		public void run() {
			Guard.run(ElasticWorkers.this.name, this.work);
			runWaiting();
		}

	}

}
