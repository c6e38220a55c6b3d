package io.distributedlock.spi;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For providers: names owners, so that no two attempts of any node are taken for one.
 * Random bits are drawn once and counted on from, since drawing them may block, and locks
 * are acquired on event loops too. A name need not be unguessable: who may read a lock on
 * a server may remove it there as well. Thread-safe.
 *
 * @since 0.1
 */
public final class OwnerNames {

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
		return this.node + '-' + Long.toHexString(this.count.incrementAndGet());
	}

}
