package io.distributedlock.spi.support;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes names of owners, so that no two attempts of any node have the same owner. A name
 * consists of random bits of this object, the clock and a counter. The random bits are
 * drawn once, since that may block, and locks are acquired on event loops too. The clock
 * tells JVMs apart that were restored from one checkpoint. A name need not be secret: who
 * may read a lock on a server may also remove it there. Thread-safe.
 *
 * @since 0.1
 */
public final class OwnerNames {

	private static final int COUNT_BITS = 16;

	private final String node = UUID.randomUUID().toString();

	private final AtomicLong count = new AtomicLong();

	/**
	 * Create an object whose names differ from those of every other object.
	 */
	public OwnerNames() {
	}

	/**
	 * Return what precedes the last hyphen in all names of this object.
	 * @return the part that they have in common
	 */
	public String node() {
		return this.node;
	}

	/**
	 * Return a new name.
	 * @return up to 53 characters: letters, digits and hyphens
	 */
	public String next() {
		// when the counter starts again from zero, the clock has moved on
		long count = this.count.incrementAndGet() & ((1L << COUNT_BITS) - 1);
		return this.node + '-' + Long.toHexString((System.nanoTime() << COUNT_BITS) | count);
	}

}
