package io.distributedlock.engine.internal.lease;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A callback for the time shortly before a local deadline. It is called once for each
 * deadline.
 */
final class ExpiryWatch {

	private static final int SAME = 100;

	private final long marginNanos;

	private final AtomicBoolean closed;

	private final Runnable callback;

	private volatile boolean fired;

	private volatile long firedForNanos;

	ExpiryWatch(long marginNanos, AtomicBoolean closed, Runnable callback) {
		this.marginNanos = marginNanos;
		this.closed = closed;
		this.callback = callback;
	}

	/**
	 * Return whether the handle is closed for which it was registered.
	 */
	AtomicBoolean closed() {
		return this.closed;
	}

	Runnable callback() {
		return this.callback;
	}

	/**
	 * Return when the callback is due.
	 * @param deadlineNanos the local deadline
	 * @param mostNanos the longest margin that makes sense for it
	 */
	long dueNanos(long deadlineNanos, long mostNanos) {
		return deadlineNanos - Math.min(this.marginNanos, mostNanos);
	}

	/**
	 * Return whether the callback is still to be called for a deadline. A deadline that
	 * has moved by less than a hundredth of the margin counts as the same: the lease was
	 * written anew for another reason than more time.
	 */
	boolean isArmed(long deadlineNanos) {
		return !this.fired || Math.abs(deadlineNanos - this.firedForNanos) > this.marginNanos / SAME;
	}

	/**
	 * Note that the callback is called for a deadline. Only the timer thread calls this.
	 * @return {@code false} if it was called for that deadline before
	 */
	boolean disarm(long deadlineNanos) {
		boolean armed = isArmed(deadlineNanos);
		this.firedForNanos = deadlineNanos;
		this.fired = true;
		return armed;
	}

}
