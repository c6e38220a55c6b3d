package io.distributedlock.engine;

import java.util.concurrent.TimeUnit;

import io.distributedlock.test.patience.Patience;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that cannot start others, as in a JVM that has reached its limit: what makes
 * one asks its parent for this.
 */
public final class ThreadlessThread extends Thread {

	private ThreadlessThread(Runnable task) {
		super(task);
	}

	/**
	 * Run a task on such a thread.
	 */
	public static void run(Runnable task) throws InterruptedException {
		ThreadlessThread thread = new ThreadlessThread(task);
		thread.start();
		thread.join(TimeUnit.SECONDS.toMillis(Patience.SECONDS));
		assertThat(thread.isAlive()).as("the task goes on").isFalse();
	}

	@Override
	public ClassLoader getContextClassLoader() {
		if (this == currentThread()) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return super.getContextClassLoader();
	}

}
