package io.distributedlock.benchmarks.contention.contender;

import java.util.OptionalLong;

/**
 * A lock of some library, with its client. A contender is never closed, because its JVM
 * ends with the measurement.
 */
@FunctionalInterface
public interface Contender {

	/**
	 * Acquire the lock, however long that takes.
	 * @param key the key
	 * @return the held lock
	 */
	Hold lock(String key) throws Exception;

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
