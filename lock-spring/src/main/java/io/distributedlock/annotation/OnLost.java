package io.distributedlock.annotation;

/**
 * What becomes of a call whose lease ends while its method runs. A warning is logged and
 * an event is published in any case, and {@code LockHandle.onLost} callbacks are called,
 * no later than the local deadline.
 *
 * @since 0.1
 */
public enum OnLost {

	/**
	 * Nothing more.
	 */
	REPORT,

	/**
	 * When the method returns the call ends with
	 * {@link io.distributedlock.LockLostException} instead of its result.
	 */
	THROW,

	/**
	 * The thread that runs the method is interrupted, a future is cancelled, and the
	 * subscription to a publisher is; the call ends with
	 * {@link io.distributedlock.LockLostException}. What the method throws because of
	 * that is added as suppressed.
	 */
	INTERRUPT

}
