package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs short tasks after a delay, on a few threads that only locks use. It does not use
 * the common pool of the JVM: an application may block all threads of that pool, and
 * since JDK 25 {@link CompletableFuture#delayedExecutor(long, TimeUnit)} without an
 * executor always uses it.
 * <p>
 * The threads are daemon threads, and end when there is nothing to do. Thread-safe.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 *
 * @since 0.1
 */
public final class DelayedTasks {

	/**
	 * More than one, since a task blocks for a short time if its client does.
	 */
	private static final int THREADS = 4;

	/**
	 * When to try a task again for which the JVM had no thread.
	 */
	private static final long AGAIN_MILLIS = 100;

	private static final ThreadFactory daemons = new DaemonThreads("lock-delayed");

	private static final Executor executor = executor(DelayedTasks::daemon);

	private DelayedTasks() {
	}

	/**
	 * Return an executor that runs each task after a delay.
	 * @param delay the delay; zero or less for none
	 * @return the executor, which never refuses a task
	 */
	public static Executor after(Duration delay) {
		return CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, executor);
	}

	/**
	 * Run a task after a delay, unless it is called off.
	 * @param delay the delay; zero or less for none
	 * @param task the task
	 * @return calls it off, after which nothing keeps the task in memory
	 */
	public static Runnable later(Duration delay, Runnable task) {
		CompletableFuture<Boolean> due = new CompletableFuture<Boolean>().completeOnTimeout(true, delay.toNanos(),
				TimeUnit.NANOSECONDS);
		due.thenAccept((wanted) -> {
			if (wanted) {
				executor.execute(task);
			}
		});
		return () -> due.complete(false);
	}

	/**
	 * Return the executor of the tasks that are due.
	 * @param factory makes its threads
	 */
	static Executor executor(ThreadFactory factory) {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), factory);
		threads.allowCoreThreadTimeOut(true);
		return (task) -> run(threads, task);
	}

	private static void run(Executor threads, Runnable task) {
		try {
			threads.execute(task);
		}
		catch (Error ex) {
			// who has planned the task has gone, and nobody else would plan it again
			CompletableFuture.delayedExecutor(AGAIN_MILLIS, TimeUnit.MILLISECONDS, (again) -> run(threads, again))
				.execute(task);
		}
	}

	/**
	 * The thread inherits no class loader from the caller of the first task.
	 */
	private static Thread daemon(Runnable tasks) {
		Thread thread = daemons.newThread(tasks);
		thread.setContextClassLoader(DelayedTasks.class.getClassLoader());
		return thread;
	}

}
