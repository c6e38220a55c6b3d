package io.distributedlock.etcd;

import java.util.PriorityQueue;
import java.util.Queue;

import io.distributedlock.spi.support.Mutex;

/**
 * The numbers of the owners under an etcd lease. A number is part of the name of a key,
 * and is used again: until etcd compacts its history, it reads past the name of every key
 * that was ever deleted, so each new name would make all later locks of that key slower.
 * Thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class OwnerNumbers {

	private final Mutex mutex = new Mutex();

	private final Queue<Long> unused = new PriorityQueue<>();

	private long last;

	/**
	 * Return the lowest number that no owner has.
	 */
	long take() {
		return this.mutex.get(() -> {
			Long lowest = this.unused.poll();
			return (lowest != null) ? lowest : ++this.last;
		});
	}

	/**
	 * Let another owner have a number. To be called once for each {@link #take()} at
	 * most, and only if nothing that was sent for the owner can still change a key by its
	 * name alone.
	 */
	void free(long number) {
		this.mutex.run(() -> this.unused.add(number));
	}

}
