package io.distributedlock.event;

import java.time.Duration;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a lock or a provider in this JVM. Each kind is a record of its own.
 * <p>
 * A re-entry is no event: it asks the backend for nothing.
 *
 * @since 0.1
 */
public sealed interface LockEvent {

	/**
	 * Return where it happened.
	 * @return the name of the provider
	 */
	String provider();

	/**
	 * Return when it happened. Says the order of events, which listeners may hear in
	 * another one.
	 * @return the time on the scale of {@link System#nanoTime()}
	 */
	long atNanos();

	/**
	 * What happened to a lock.
	 */
	sealed interface OfLock extends LockEvent {

		/**
		 * Return which lock it happened to.
		 * @return the lock
		 */
		LockInfo lock();

		@Override
		default String provider() {
			return lock().provider();
		}

	}

	/**
	 * A call could not acquire its lock at the first attempt, and waits.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 */
	record Waiting(LockInfo lock, long atNanos) implements OfLock {
	}

	/**
	 * A lock was acquired.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param waited the time since the call began
	 */
	record Acquired(LockInfo lock, long atNanos, Duration waited) implements OfLock {
	}

	/**
	 * A lock was not acquired, although its backend works.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param waited the time since the call began
	 * @param reason why
	 */
	record NotAcquired(LockInfo lock, long atNanos, Duration waited, Reason reason) implements OfLock {
	}

	/**
	 * A lock was not acquired, as its backend failed or did not answer.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param waited the time since the call began
	 * @param failure what the provider failed with
	 */
	record Unavailable(LockInfo lock, long atNanos, Duration waited, Throwable failure) implements OfLock {
	}

	/**
	 * A lease was renewed.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param took the time from the request to the answer of the backend
	 */
	record Renewed(LockInfo lock, long atNanos, Duration took) implements OfLock {
	}

	/**
	 * A renewal failed. It is tried again while the lease runs.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param left the time until the lock is lost
	 * @param failure what the provider failed with
	 */
	record RenewalFailed(LockInfo lock, long atNanos, Duration left, Throwable failure) implements OfLock {
	}

	/**
	 * A lock was released: its last holder has left, and the backend has answered, or the
	 * lock was passed on to the next caller of this JVM.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param held the time since the holder got the lock
	 * @param took the time from the request to the answer of the backend, {@code null} if
	 * the lock was passed on
	 */
	record Released(LockInfo lock, long atNanos, Duration held, @Nullable Duration took) implements OfLock {
	}

	/**
	 * The last holder of a lock has left, but the release failed. The lease expires by
	 * itself.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param held the time since the holder got the lock
	 * @param failure what the provider failed with
	 */
	record ReleaseFailed(LockInfo lock, long atNanos, Duration held, Throwable failure) implements OfLock {
	}

	/**
	 * The last holder of a lock has left, after the lock was lost: it may have worked
	 * without the lock in between.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param held the time since the holder got the lock, more than it had it for
	 */
	record ReleasedLate(LockInfo lock, long atNanos, Duration held) implements OfLock {
	}

	/**
	 * A lock was lost while it was held.
	 *
	 * @param lock the lock
	 * @param atNanos when it happened
	 * @param held the time since the holder got the lock
	 * @param loss the exception that the holder gets, which says why
	 */
	record Lost(LockInfo lock, long atNanos, Duration held, LockLostException loss) implements OfLock {
	}

	/**
	 * A provider is down: it has failed for the command time-out. Until it answers again,
	 * calls fail at once.
	 *
	 * @param provider the name of the provider
	 * @param atNanos when it happened
	 * @param failure what the provider failed with
	 */
	record OutageBegan(String provider, long atNanos, Throwable failure) implements LockEvent {
	}

	/**
	 * A provider answers again, or the template closes and watches it no more. Comes once
	 * for each {@link OutageBegan}, after it.
	 *
	 * @param provider the name of the provider
	 * @param atNanos when it happened
	 * @param lasted the time since its first failure
	 */
	record OutageEnded(String provider, long atNanos, Duration lasted) implements LockEvent {
	}

}
