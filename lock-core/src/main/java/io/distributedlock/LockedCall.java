package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Work with a result that runs while a lock is held.
 *
 * @param <T> the type of the result
 * @param <E> the type of exception that the work may throw, {@link RuntimeException} if
 * it throws no checked one
 * @since 0.1
 */
@FunctionalInterface
public interface LockedCall<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work. Called at most once per call of the template, only while the lock is
	 * held, on the thread that called the template.
	 * @return the result of the work
	 * @throws E when the work fails
	 */
	T call() throws E;

}
