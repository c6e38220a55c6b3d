package io.distributedlock.event;

/**
 * Observes each call for a lock from its beginning to its end, on the threads of the
 * callers. For traces and timers, which must see the caller's thread; a
 * {@link LockListener} is told of more, later and on other threads.
 * <p>
 * An observer must be thread-safe and fast, and must not block: the caller waits for it.
 * What it throws is logged and harms no call. A re-entry is not observed, as it asks the
 * backend for nothing.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockObserver {

	/**
	 * A call begins. Called on the thread of the caller, before the backend is asked.
	 * @param call the lock that it asks for
	 * @return is told how the call goes on
	 */
	LockObservation begin(LockInfo call);

}
