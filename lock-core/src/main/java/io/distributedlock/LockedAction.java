package io.distributedlock;

/**
 * Work without a result that runs while a lock is held.
 *
 * @param <E> the type of exception that the work may throw, {@link RuntimeException} if
 * it throws no checked one
 * @since 0.1
 */
@FunctionalInterface
public interface LockedAction<E extends Throwable> {

	/**
	 * Do the work. Called at most once per call of the template, only while the lock is
	 * held, on the thread that called the template.
	 * @throws E when the work fails
	 */
	void run() throws E;

}
