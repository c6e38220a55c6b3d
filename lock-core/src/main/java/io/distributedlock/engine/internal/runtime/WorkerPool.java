package io.distributedlock.engine.internal.runtime;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	/**
	 * A permit for each task that waits. To give one, and to add a task, waits for no
	 * lock: an event loop may bring a task. A permit without a task ends a thread.
	 */
	private final Semaphore permits = new Semaphore(0);

	private final AtomicInteger threads = new AtomicInteger();

	/**
	 * How many threads wait for a task, less the tasks that wait for a thread.
	 */
	private final AtomicInteger idle = new AtomicInteger();

	private volatile long idleNanos = TimeUnit.SECONDS.toNanos(10);

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
		this.waiting.add(task);
		this.permits.release();
		this.idle.decrementAndGet();
		startMissingThread();
	}

	/**
	 * Let idle threads end immediately. Tasks that come later still run.
	 */
	void release() {
		this.idleNanos = TimeUnit.MILLISECONDS.toNanos(1);
		this.permits.release(Math.max(0, this.idle.getAndUpdate((now) -> Math.min(now, 0))));
	}

	/**
	 * Start a thread if more tasks wait than there are threads to take them.
	 */
	private void startMissingThread() {
		if (this.idle.get() >= 0) {
			return;
		}
		if (this.threads.getAndUpdate((now) -> Math.min(now + 1, MOST_THREADS)) == MOST_THREADS) {
			warnings.warn("{} threads of {} are busy with tasks that block, and others wait for them", MOST_THREADS,
					this.name);
			return;
		}
		try {
			this.factory.newThread(this::work).start();
		}
		catch (Throwable ex) {
			this.threads.decrementAndGet();
			// not by the timer of the template, which ends when that closes: whoever
			// waits for the task would wait for good
			CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
				.execute(this::startMissingThread);
			Failures.log(logger::error, "A thread of {} could not be started; its task is tried again in {} ms",
					this.name, RETRY_MILLIS, ex);
		}
	}

	private void work() {
		for (Runnable task = next(); task != null; task = next()) {
			Guard.run(this.name, task);
			// the next task is not to find the interrupt of this one
			Thread.interrupted();
		}
		this.threads.decrementAndGet();
		// a task may have come while this thread was one of the most that there may be
		startMissingThread();
	}

	/**
	 * Wait for a task.
	 * @return {@code null} if there is none, and the thread is to end
	 */
	private @Nullable Runnable next() {
		this.idle.incrementAndGet();
		while (!awaitPermit()) {
			if (this.idle.getAndUpdate((now) -> (now > 0) ? now - 1 : now) > 0) {
				return null;
			}
		}
		return this.waiting.poll();
	}

	private boolean awaitPermit() {
		try {
			return this.permits.tryAcquire(this.idleNanos, TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// an interrupt, or no memory to wait
			return false;
		}
	}

}
