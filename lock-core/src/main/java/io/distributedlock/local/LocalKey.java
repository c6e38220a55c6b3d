package io.distributedlock.local;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.Queue;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a key and the queue for it. Changed only inside the map's atomic
 * operations.
 */
final class LocalKey {

	final Set<LocalLease> holders = ConcurrentHashMap.newKeySet();

	final Queue<LocalPlace> queue = new ConcurrentLinkedQueue<>();

	/**
	 * A semaphore has nothing to do with a lock of the same key.
	 */
	static String nameOf(LeaseRequest request) {
		return (request.type() == LockType.SEMAPHORE) ? request.key() + "~permits" : request.key();
	}

	boolean admits(LeaseRequest request, @Nullable LocalPlace place) {
		dropExpired();
		return switch (request.type()) {
			case EXCLUSIVE, WRITE -> this.holders.isEmpty();
			case FAIR -> this.holders.isEmpty() && (this.queue.isEmpty() || this.queue.peek() == place);
			case READ -> this.holders.stream().allMatch((holder) -> holder.type() == LockType.READ);
			case SEMAPHORE -> this.holders.size() < request.permits();
		};
	}

	void dropExpired() {
		this.holders.removeIf(LocalLease::isExpired);
	}

	boolean isUnused() {
		return this.holders.isEmpty() && this.queue.isEmpty();
	}

	/**
	 * Let the first place in the queue try. Called outside the map's operations.
	 */
	void wakeFirst() {
		LocalPlace first = this.queue.peek();
		if (first != null) {
			first.lookAgain();
		}
	}

}
