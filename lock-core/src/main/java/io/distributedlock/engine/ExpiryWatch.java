package io.distributedlock.engine;

/**
 * A callback for a lease that runs short. It fires once for each deadline that comes so
 * near.
 */
final class ExpiryWatch {

	private static final int SAME = 100;

	private final long marginNanos;

	private final Runnable callback;

	private volatile boolean fired;

	private volatile long firedForNanos;

	ExpiryWatch(long marginNanos, Runnable callback) {
		this.marginNanos = marginNanos;
		this.callback = callback;
	}

	Runnable callback() {
		return this.callback;
	}

	long dueNanos(long deadlineNanos) {
		return deadlineNanos - this.marginNanos;
	}

	/**
	 * A deadline that moves by next to nothing is the same one: that of a lease which was
	 * written anew for another reason than more time.
	 */
	boolean isArmed(long deadlineNanos) {
		return !this.fired || Math.abs(deadlineNanos - this.firedForNanos) > this.marginNanos / SAME;
	}

	/**
	 * Note that it fires for a deadline. Called by the keeper's thread only.
	 * @return {@code false} if it has fired for that one
	 */
	boolean disarm(long deadlineNanos) {
		boolean armed = isArmed(deadlineNanos);
		this.firedForNanos = deadlineNanos;
		this.fired = true;
		return armed;
	}

}
