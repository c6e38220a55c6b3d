package io.distributedlock.spi.support;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For providers: names owners, so that no two attempts of any node are taken for one.
 * Random bits are drawn once, since drawing them may block, and locks are acquired on
 * event loops too. From there names are counted, together with the clock, which tells
 * JVMs apart that were restored from one checkpoint. A name need not be unguessable: who
 * may read a lock on a server may remove it there as well. Thread-safe.
 *
 * @since 0.1
 */
public final class OwnerNames {

	private static final int COUNT_BITS = 16;

	private final String node = UUID.randomUUID().toString();

	private final AtomicLong count = new AtomicLong();

	/**
	 * Create an object whose names differ from those of every other.
	 */
	public OwnerNames() {
	}

	/**
	 * Return a name that was not given before.
	 * @return up to 53 characters: letters, digits and hyphens
	 */
	public String next() {
		// the count starts over after so many names that the clock has moved on
		long count = this.count.incrementAndGet() & ((1L << COUNT_BITS) - 1);
		return this.node + '-' + Long.toHexString((System.nanoTime() << COUNT_BITS) | count);
	}

}
