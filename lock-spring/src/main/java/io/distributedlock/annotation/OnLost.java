package io.distributedlock.annotation;

/**
 * What happens to a call when its lease ends while the method runs. A method whose lock
 * is lost before it begins does not begin, and the call fails with
 * {@link io.distributedlock.LockLostException}. In any case a warning is logged, a
 * {@link io.distributedlock.event.LockEvent.Lost} is published and the callbacks of
 * {@code LockHandle.onLost} are called. The loss is noticed no later than at the local
 * deadline of the lease.
 *
 * @since 0.1
 */
public enum OnLost {

	/**
	 * Nothing more happens: the call returns what the method returns.
	 */
	REPORT,

	/**
	 * The method runs to its end. Then the call fails with
	 * {@link io.distributedlock.LockLostException} instead of returning the result.
	 */
	THROW,

	/**
	 * The running method is stopped: its thread is interrupted, its future is cancelled,
	 * or the subscription to its publisher is cancelled. The call fails with
	 * {@link io.distributedlock.LockLostException}. An exception that the method throws
	 * because of the interrupt is added as suppressed. If the method swallows the
	 * interrupt, one of somebody else is cleared with it.
	 */
	INTERRUPT

}
