package io.distributedlock;

import java.time.Duration;

/**
 * Is told what happens to the locks of a template in this JVM. For meters, logs and
 * alerts: a listener changes nothing, and what it throws is logged and harms no call.
 * <p>
 * Each method is called on a thread for callbacks (the executor of the template if it has
 * one), some time after the event. So it may block, must be thread-safe, and must not
 * rely on the order of calls: {@link LockEvent#atNanos()} says the order. If a listener
 * is so slow that thousands of its calls wait, further events are dropped and a warning
 * is logged; a loss and an outage are never dropped.
 * <p>
 * A re-entry is no event: it asks the backend for nothing.
 *
 * @since 0.1
 */
public interface LockListener {

	/**
	 * A call could not acquire its lock at the first attempt, and waits.
	 * @param event the lock
	 */
	default void waiting(LockEvent event) {
	}

	/**
	 * A lock was acquired.
	 * @param event the lock
	 * @param waited the time since the call began
	 */
	default void acquired(LockEvent event, Duration waited) {
	}

	/**
	 * A lock was not acquired, although its backend works.
	 * @param event the lock
	 * @param waited the time since the call began
	 * @param reason why
	 */
	default void notAcquired(LockEvent event, Duration waited, LockNotAcquiredException.Reason reason) {
	}

	/**
	 * A lock was not acquired, as its backend failed or did not answer.
	 * @param event the lock
	 * @param waited the time since the call began
	 * @param failure what the provider failed with
	 */
	default void unavailable(LockEvent event, Duration waited, Throwable failure) {
	}

	/**
	 * A lease was renewed.
	 * @param event the lock
	 * @param took the time from the request to the answer
	 */
	default void renewed(LockEvent event, Duration took) {
	}

	/**
	 * A renewal failed. It is tried again while the lease runs.
	 * @param event the lock
	 * @param left the time until the lock is lost
	 * @param failure what the provider failed with
	 */
	default void renewalFailed(LockEvent event, Duration left, Throwable failure) {
	}

	/**
	 * A lock was released: its last holder has left, and the backend has answered the
	 * release, or the lock was passed on to the next caller of this JVM.
	 * @param event the lock
	 * @param held the time since the holder got the lock
	 */
	default void released(LockEvent event, Duration held) {
	}

	/**
	 * The backend has answered the release of a lock. Not called for a lock that was
	 * passed on to the next caller of this JVM.
	 * @param event the lock
	 * @param took the time from the request to the answer
	 */
	default void releaseAnswered(LockEvent event, Duration took) {
	}

	/**
	 * The last holder of a lock has left, but the release failed. The lease expires by
	 * itself.
	 * @param event the lock
	 * @param held the time since the holder got the lock
	 * @param failure what the provider failed with
	 */
	default void releaseFailed(LockEvent event, Duration held, Throwable failure) {
	}

	/**
	 * The last holder of a lock has left, after the lock was lost: it may have worked
	 * without the lock in between.
	 * @param event the lock
	 * @param held the time since the holder got the lock, more than it had it for
	 */
	default void releasedLate(LockEvent event, Duration held) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param event the lock
	 * @param held the time since the holder got the lock
	 * @param loss the exception that the holder gets, which says why
	 */
	default void lost(LockEvent event, Duration held, LockLostException loss) {
	}

	/**
	 * A provider is down: it has failed for the command time-out. Until it answers again,
	 * calls fail at once. Never dropped.
	 * @param provider the name of the provider
	 * @param failure what the provider failed with
	 */
	default void outageBegan(String provider, Throwable failure) {
	}

	/**
	 * A provider answers again, or the template closes and watches it no more. Called
	 * once for each {@link #outageBegan}, after that has returned. Never dropped.
	 * @param provider the name of the provider
	 * @param lasted the time since its first failure
	 */
	default void outageEnded(String provider, Duration lasted) {
	}

}
