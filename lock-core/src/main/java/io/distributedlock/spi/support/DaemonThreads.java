package io.distributedlock.spi.support;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes daemon threads, which do not keep a JVM from ending, with numbered names. They
 * inherit no thread-locals: a pool would show those of one caller to all others.
 *
 * @since 0.1
 */
public final class DaemonThreads implements ThreadFactory {

	private final AtomicLong count = new AtomicLong();

	private final String name;

	/**
	 * Create a factory.
	 * @param name what the names of its threads begin with
	 */
	public DaemonThreads(String name) {
		this.name = name;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.name + '-' + this.count.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		// a thread that inherits no thread-locals does not inherit this on each JDK
		thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
		return thread;
	}

}
