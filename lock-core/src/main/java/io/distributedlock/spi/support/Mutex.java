package io.distributedlock.spi.support;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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
		get((each) -> {
			each.run();
			return true;
		}, step);
	}

	/**
	 * Run a step alone, and return its result.
	 * @param <T> the type of the result
	 * @param step reads or changes the state
	 * @return the result
	 */
	public <T extends @Nullable Object> T get(Supplier<T> step) {
		return get(Supplier::get, step);
	}

	/**
	 * Run a step alone, and return its result. A step that is made once for many subjects
	 * costs no memory at each.
	 * @param <S> the type of the subject
	 * @param <T> the type of the result
	 * @param step reads or changes the state
	 * @param subject what the step is told
	 * @return the result
	 */
	public <S, T extends @Nullable Object> T get(Function<S, T> step, S subject) {
		this.lock.lock();
		try {
			return step.apply(subject);
		}
		finally {
			this.lock.unlock();
		}
	}

}
