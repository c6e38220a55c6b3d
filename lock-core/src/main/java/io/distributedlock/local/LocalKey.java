package io.distributedlock.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a key and the queue for it. Only one thread at a time changes a key.
 */
final class LocalKey {

	/**
	 * Also read by that thread only. Most keys have one.
	 */
	final List<LocalLease> holders = new ArrayList<>(1);

	/**
	 * Created for the first place, which most keys never have.
	 */
	private volatile @Nullable Queue<LocalPlace> queue;

	/**
	 * A semaphore has nothing to do with a lock of the same key.
	 */
	static String nameOf(LeaseRequest request) {
		return (request.type() == LockType.SEMAPHORE) ? permitsOf(request.key()) : request.key();
	}

	/**
	 * Return the names of all that exists of one key.
	 */
	static List<String> namesOf(String key) {
		return List.of(key, permitsOf(key));
	}

	private static String permitsOf(String key) {
		// no key has a control character
		return key + "\npermits";
	}

	boolean admits(LeaseRequest request, @Nullable LocalPlace place) {
		dropExpired();
		return switch (request.type()) {
			case EXCLUSIVE, WRITE -> this.holders.isEmpty();
			case FAIR -> this.holders.isEmpty() && (first() == null || first() == place);
			// each of them has the same type
			case READ -> this.holders.isEmpty() || this.holders.get(0).type() == LockType.READ;
			case SEMAPHORE -> this.holders.size() < request.permits();
		};
	}

	void dropExpired() {
		this.holders.removeIf(LocalLease::isExpired);
	}

	Queue<LocalPlace> queue() {
		Queue<LocalPlace> places = this.queue;
		if (places == null) {
			places = new ConcurrentLinkedQueue<>();
			this.queue = places;
		}
		return places;
	}

	boolean isUnused() {
		return this.holders.isEmpty() && first() == null;
	}

	@Nullable LocalPlace first() {
		Queue<LocalPlace> places = this.queue;
		return (places != null) ? places.peek() : null;
	}

}
