package io.distributedlock.engine;

import java.lang.ref.WeakReference;

/**
 * A callback for a lease that runs short. It fires once for each deadline that comes so
 * near. Who asked for it keeps the callback, so that one which refers to its handle does
 * not keep a handle in use that was never closed.
 */
final class ExpiryWatch {

	private final long marginNanos;

	private final WeakReference<Runnable> callback;

	private volatile boolean fired;

	private volatile long firedForNanos;

	ExpiryWatch(long marginNanos, Runnable callback) {
		this.marginNanos = marginNanos;
		this.callback = new WeakReference<>(callback);
	}

	void call() {
		Runnable current = this.callback.get();
		if (current != null) {
			current.run();
		}
	}

	long dueNanos(long deadlineNanos) {
		return deadlineNanos - this.marginNanos;
	}

	boolean isArmed(long deadlineNanos) {
		return !this.fired || this.firedForNanos != deadlineNanos;
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
