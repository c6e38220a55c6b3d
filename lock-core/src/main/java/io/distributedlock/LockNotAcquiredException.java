package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired, for a {@link Reason} that is no failure of the backend. The
 * work was not run.
 *
 * @since 0.1
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Why the wait ended.
	 */
	private final Reason reason;

	/**
	 * The wait time of the request.
	 */
	private final Duration waitTime;

	/**
	 * Create an exception for a wait that ended without the lock.
	 * @param key the full key of the lock
	 * @param provider the name of the provider
	 * @param reason why the wait ended
	 * @param waitTime the wait time of the request
	 * @param message what happened and what to do about it
	 * @param cause the cause, where there is one
	 */
	public LockNotAcquiredException(String key, String provider, Reason reason, Duration waitTime, String message,
			@Nullable Throwable cause) {
		super(key, provider, message, cause);
		this.reason = reason;
		this.waitTime = waitTime;
	}

	/**
	 * Return why the wait ended.
	 * @return the reason
	 */
	public Reason getReason() {
		return this.reason;
	}

	/**
	 * Return the wait time of the request.
	 * @return the wait time, zero for a single attempt
	 */
	public Duration getWaitTime() {
		return this.waitTime;
	}

	/**
	 * Why a wait for a lock ended without the lock.
	 */
	public enum Reason {

		/**
		 * Another owner held the lock for the whole wait time.
		 */
		CONTENDED,

		/**
		 * The limit of calls of this JVM that may wait for the key was reached already,
		 * see {@link LockRequest#withMaxWaiters}.
		 */
		CROWDED,

		/**
		 * The waiting thread was interrupted or the waiting future was cancelled. The
		 * interrupt flag of the thread is set again.
		 */
		INTERRUPTED,

		/**
		 * The template was closed, or prepared to close, before or while the caller
		 * waited.
		 */
		CLOSED,

		/**
		 * The lock was acquired for asynchronous work, which no thread of the executor
		 * began within the wait time and one command time-out. The lock was released.
		 */
		NO_THREAD

	}

}
