package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * A lock of some library, with its client. A contender is never closed, because its JVM
 * ends with the measurement.
 */
@FunctionalInterface
public interface Contender {

	/**
	 * As long as a call has to.
	 */
	Duration FOREVER = Duration.ofMinutes(5);

	/**
	 * Acquire the lock.
	 * @param key the key
	 * @param wait for how long to wait. The limits wait for as long as it takes
	 * @return the held lock; {@code null} if the key was not free in time
	 */
	@Nullable Hold lock(String key, Duration wait) throws Exception;

	/**
	 * Acquire the lock, however long that takes.
	 * @param key the key
	 * @return the held lock
	 */
	default Hold lock(String key) throws Exception {
		Hold hold = lock(key, FOREVER);
		if (hold == null) {
			throw new IllegalStateException("Not acquired within " + FOREVER);
		}
		return hold;
	}

	/**
	 * A held lock.
	 */
	@FunctionalInterface
	interface Hold {

		void unlock() throws Exception;

		/**
		 * Return the fencing token, if this contender has any.
		 */
		default OptionalLong fencingToken() {
			return OptionalLong.empty();
		}

	}

}
