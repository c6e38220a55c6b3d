package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For providers: runs short tasks after a time, on a few threads that only locks use. The
 * common pool of the JVM is not for that: since JDK 25
 * {@link CompletableFuture#delayedExecutor(long, TimeUnit)} always runs its tasks there,
 * where an application that blocks all threads of that pool would hold them up as long.
 * <p>
 * The threads are daemons, and end when there is nothing to do. Thread-safe.
 *
 * @since 0.1
 */
public final class DelayedTasks {

	/**
	 * A task may block for a moment, where a client does.
	 */
	private static final int THREADS = 4;

	private static final AtomicLong threadNumber = new AtomicLong();

	private static final Executor executor = executor();

	private DelayedTasks() {
	}

	/**
	 * Return an executor that runs what it is given after a time.
	 * @param delay the time, to the nanosecond; at once if it is not positive
	 * @return the executor, which never refuses a task
	 */
	public static Executor after(Duration delay) {
		return CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, executor);
	}

	private static ThreadPoolExecutor executor() {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), DelayedTasks::daemon);
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	/**
	 * Inherits nothing from the application whose task is the first.
	 */
	private static Thread daemon(Runnable tasks) {
		Thread thread = new Thread(null, tasks, "lock-delayed-" + threadNumber.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(DelayedTasks.class.getClassLoader());
		return thread;
	}

}
