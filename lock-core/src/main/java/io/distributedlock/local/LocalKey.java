package io.distributedlock.local;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockType;
import io.distributedlock.spi.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a key and the queue for it. Changed only inside the map's atomic
 * operations.
 */
final class LocalKey {

	private final List<LocalLease> holders = new CopyOnWriteArrayList<>();

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
		this.holders.removeIf(LocalLease::isExpired);
	}

	boolean isHeldBy(LocalLease lease) {
		return this.holders.contains(lease);
	}

	void add(LocalLease lease) {
		this.holders.add(lease);
	}

	void remove(LocalLease lease) {
		this.holders.remove(lease);
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

	@Nullable LocalPlace first() {
		Queue<LocalPlace> places = this.queue;
		return (places != null) ? places.peek() : null;
	}

}
