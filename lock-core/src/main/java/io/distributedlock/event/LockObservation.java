package io.distributedlock.event;

import java.util.OptionalLong;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;

/**
 * Is told how one call for a lock goes on. First comes {@link #acquired},
 * {@link #notAcquired} or {@link #unavailable}. After {@code acquired} come {@link #lost}
 * at most once, and {@link #released} at the end. Calls for one lock come one after the
 * other. For a blocking call they come on the thread of the caller, for a future on the
 * thread that completes it; {@code released} comes on the thread that closes the last
 * handle, and {@code lost} on a thread for callbacks.
 * <p>
 * An observation must be fast and must not block. What it throws is logged.
 *
 * @since 0.1
 */
public interface LockObservation {

	/**
	 * The caller has the lock.
	 * @param fencingToken its fencing token, if the provider has tokens
	 * @param passedOn whether another caller of this JVM has passed the lock on, without
	 * a request to the backend
	 */
	default void acquired(OptionalLong fencingToken, boolean passedOn) {
	}

	/**
	 * The caller did not get the lock, although the backend works.
	 * @param reason why
	 */
	default void notAcquired(Reason reason) {
	}

	/**
	 * The caller did not get the lock, as the backend failed or did not answer.
	 * @param failure what the provider failed with
	 */
	default void unavailable(Throwable failure) {
	}

	/**
	 * The lock was lost while it was held.
	 * @param loss the exception that the holder gets
	 */
	default void lost(LockLostException loss) {
	}

	/**
	 * The last holder has left, and the release is sent. After {@link #lost} this is a
	 * late release: the holder went on for longer than it had the lock.
	 */
	default void released() {
	}

}
