package io.distributedlock.engine.internal.runtime;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.spi.support.DaemonThreads;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
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

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(WorkerPool.class));

	/**
	 * If so many tasks block at the same time, others wait for them. With more, the
	 * stacks of the threads would cost more memory than the tasks are worth.
	 */
	static final int MOST_THREADS = 512;

	/**
	 * The pause before a thread is tried again that the JVM could not start.
	 */
	private static final long RETRY_MILLIS = 100;

	/**
	 * How long a thread stays idle that is hardly needed.
	 */
	private static final long SHORT_NANOS = 1_000_000;

	/**
	 * Ends the thread that gets it.
	 */
	// compared by identity
	@SuppressWarnings("UnnecessaryLambda")
	private static final Runnable END = () -> {
	};

	private final String name;

	private final ThreadFactory factory;

	/**
	 * Where threads without a task wait for the next one. To bring a task there, and to
	 * add it to those that wait, waits for no lock: an event loop may bring a task.
	 */
	private final SynchronousQueue<Runnable> idle = new SynchronousQueue<>();

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicInteger threads = new AtomicInteger();

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
		if (!this.idle.offer(task)) {
			this.waiting.add(task);
			startThread();
		}
	}

	/**
	 * Let idle threads end immediately. Tasks that come later still run.
	 */
	void release() {
		this.idleNanos = SHORT_NANOS;
		while (this.idle.offer(END)) {
			// for the next one
		}
	}

	/**
	 * Start a thread if a task waits for one.
	 */
	private void startThread() {
		if (this.waiting.isEmpty()) {
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
				.execute(this::startThread);
			Failures.log(warnings::error, "A thread of {} could not be started; its task is tried again in {} ms",
					this.name, RETRY_MILLIS, ex);
		}
	}

	private void work() {
		for (Runnable task = next(); task != END; task = next()) {
			Guard.run(this.name, task);
			// the next task is not to find the interrupt of this one
			Thread.interrupted();
		}
		this.threads.decrementAndGet();
		// a task may have come while this thread was one of the most that there may be
		startThread();
	}

	private Runnable next() {
		Runnable task = this.waiting.poll();
		// a task may come before this thread is idle, and find no room for another one
		long nanos = (this.threads.get() < MOST_THREADS) ? this.idleNanos : SHORT_NANOS;
		try {
			task = (task != null) ? task : this.idle.poll(nanos, TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// an interrupt, or no memory to wait: a thread that is missed starts again
		}
		return (task != null) ? task : END;
	}

}
