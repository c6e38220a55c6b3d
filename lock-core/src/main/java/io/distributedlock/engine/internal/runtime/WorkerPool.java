package io.distributedlock.engine.internal.runtime;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.Failures;
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
final class WorkerPool implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private static final LimitedLog warnings = new LimitedLog(logger);

	/**
	 * If so many tasks block at the same time, others wait for them. With more, the
	 * stacks of the threads would cost more memory than the tasks are worth.
	 */
	static final int MOST_THREADS = 512;

	/**
	 * The pause before a thread is tried again that the JVM could not start.
	 */
	private static final long RETRY_MILLIS = 100;

	private final String name;

	private final ThreadFactory factory;

	/**
	 * Whoever reads or changes one of the following has this lock.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	private final Condition change = this.lock.newCondition();

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private int threads;

	/**
	 * How many threads wait for a task, or are about to take one of those that wait.
	 */
	private int idle;

	private long idleNanos = TimeUnit.SECONDS.toNanos(10);

	WorkerPool(String name) {
		this.name = name;
		this.factory = new DaemonThreads(name);
		// a JVM that cannot start the JDK's thread for delays fails now, and not when it
		// has no other thread
		CompletableFuture.delayedExecutor(0, TimeUnit.NANOSECONDS, Runnable::run).execute(() -> {
		});
	}

	@Override
	public void execute(Runnable task) {
		this.lock.lock();
		try {
			this.waiting.add(task);
			this.change.signal();
		}
		finally {
			this.lock.unlock();
		}
		startMissingThread();
	}

	/**
	 * Let idle threads end immediately. Tasks that come later still run.
	 */
	void release() {
		this.lock.lock();
		try {
			this.idleNanos = TimeUnit.MILLISECONDS.toNanos(1);
			this.change.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start a thread if more tasks wait than there are threads to take them.
	 */
	private void startMissingThread() {
		int before;
		this.lock.lock();
		try {
			before = this.threads;
			if (this.waiting.size() <= this.idle) {
				return;
			}
			this.threads = Math.min(before + 1, MOST_THREADS);
		}
		finally {
			this.lock.unlock();
		}
		if (before == MOST_THREADS) {
			warnings.warn("{} threads of {} are busy with tasks that block, and others wait for them", before,
					this.name);
			return;
		}
		try {
			this.factory.newThread(this::work).start();
		}
		catch (Throwable ex) {
			oneThreadLess();
			// not by the timer of the template, which ends when that closes: whoever
			// waits for the task would wait for good
			CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
				.execute(this::startMissingThread);
			Failures.log(logger::error, "A thread of {} could not be started; its task is tried again in {} ms",
					this.name, RETRY_MILLIS, ex);
		}
	}

	private void oneThreadLess() {
		this.lock.lock();
		try {
			this.threads--;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void work() {
		for (Runnable task = next(); task != null; task = next()) {
			Guard.run(this.name, task);
			// the next task is not to find the interrupt of this one
			Thread.interrupted();
		}
	}

	/**
	 * Wait for a task.
	 * @return {@code null} if there is none, and the thread is to end
	 */
	private @Nullable Runnable next() {
		this.lock.lock();
		try {
			this.idle++;
			awaitTask();
			this.idle--;
			this.threads -= this.waiting.isEmpty() ? 1 : 0;
			return this.waiting.poll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void awaitTask() {
		try {
			long left = this.idleNanos;
			while (this.waiting.isEmpty() && left > 0) {
				left = this.change.awaitNanos(Math.min(left, this.idleNanos));
			}
		}
		catch (Throwable ex) {
			// an interrupt, or no memory to wait: a thread that is missed starts again
		}
	}

}
