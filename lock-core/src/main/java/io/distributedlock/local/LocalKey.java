package io.distributedlock.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a key and the queue for it. Changed only inside the map's atomic
 * operations.
 */
final class LocalKey {

	/**
	 * Replaced and never changed, since it is also read outside of these operations.
	 */
	private volatile List<LocalLease> holders = List.of();

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

	List<LocalLease> holders() {
		return this.holders.stream().filter((holder) -> !holder.isExpired()).toList();
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
		List<LocalLease> before = this.holders;
		// by index: most keys have one holder or none
		for (int i = 0; i < before.size(); i++) {
			LocalLease holder = before.get(i);
			if (holder.isExpired()) {
				remove(holder);
			}
		}
	}

	boolean isHeldBy(LocalLease lease) {
		return this.holders.contains(lease);
	}

	void add(LocalLease lease) {
		if (this.holders.isEmpty()) {
			this.holders = List.of(lease);
		}
		else {
			List<LocalLease> all = new ArrayList<>(this.holders);
			all.add(lease);
			this.holders = all;
		}
	}

	boolean remove(LocalLease lease) {
		if (!isHeldBy(lease)) {
			return false;
		}
		if (this.holders.size() == 1) {
			this.holders = List.of();
			return true;
		}
		List<LocalLease> rest = new ArrayList<>(this.holders);
		rest.remove(lease);
		this.holders = rest;
		return true;
	}

	void enqueue(LocalPlace place) {
		Queue<LocalPlace> places = this.queue;
		if (places == null) {
			places = new ConcurrentLinkedQueue<>();
			this.queue = places;
		}
		places.add(place);
	}

	void leaveQueue(LocalPlace place) {
		Queue<LocalPlace> places = this.queue;
		if (places != null) {
			places.remove(place);
		}
	}

	boolean isUnused() {
		return this.holders.isEmpty() && first() == null;
	}

	/**
	 * Let the first place in the queue try. Called outside the map's operations.
	 */
	void wakeFirst() {
		LocalPlace first = first();
		if (first != null) {
			first.lookAgain();
		}
	}

	private @Nullable LocalPlace first() {
		Queue<LocalPlace> places = this.queue;
		return (places != null) ? places.peek() : null;
	}

}
