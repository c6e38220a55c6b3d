package io.distributedlock.spi.support;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time read and change the state of an object, as a monitor does. A
 * virtual thread that waits for it pins no carrier. Re-entrant and thread-safe.
 *
 * @since 0.1
 */
public final class Mutex {

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Create a mutex that no thread has.
	 */
	public Mutex() {
	}

	/**
	 * Run a step alone.
	 * @param step changes the state
	 */
	public void run(Runnable step) {
		this.lock.lock();
		try {
			step.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Run a step alone, and return its result.
	 * @param <T> the type of the result
	 * @param step reads or changes the state
	 * @return the result
	 */
	public <T extends @Nullable Object> T get(Supplier<T> step) {
		this.lock.lock();
		try {
			return step.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}
