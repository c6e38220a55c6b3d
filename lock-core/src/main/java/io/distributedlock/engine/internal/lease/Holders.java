package io.distributedlock.engine.internal.lease;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Counts the re-entrant holders of one lease. When the last one has left, nobody enters
 * any more.
 */
public final class Holders {

	private static final AtomicIntegerFieldUpdater<Holders> COUNT = AtomicIntegerFieldUpdater.newUpdater(Holders.class,
			"count");

	private volatile int count = 1;

	/**
	 * Count one more holder.
	 * @return {@code false} if the last one has left
	 */
	public boolean enter() {
		return COUNT.getAndUpdate(this, (now) -> (now > 0) ? now + 1 : 0) > 0;
	}

	/**
	 * Count one holder less.
	 * @return {@code true} if it was the last one
	 */
	public boolean exit() {
		return COUNT.decrementAndGet(this) == 0;
	}

	/**
	 * Return how many holders there are.
	 */
	public int size() {
		return this.count;
	}

}
