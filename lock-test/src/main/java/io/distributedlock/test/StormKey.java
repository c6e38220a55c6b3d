package io.distributedlock.test;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;

/**
 * A key in a storm of calls: how many owners are inside, how often it was granted, and
 * the longest time for which nobody was inside. Time is counted in cycles of a caller
 * that has a key for itself, so a busy machine does not matter. Thread-safe, also between
 * JVMs that share the numbers.
 */
final class StormKey {

	/**
	 * More than all threads of a storm together.
	 */
	private static final int ALONE = 1000;

	private final List<LockRequest> requests;

	private final SharedNumber cycles;

	private final SharedNumber inside;

	private final SharedNumber leftAt;

	private final SharedNumber longestGap;

	private final SharedNumber grants;

	private final SharedNumber refusals;

	private final SharedNumber refusalsOfFreeKey;

	private final SharedNumber overlaps;

	/**
	 * Create a key.
	 * @param requests ask for it, each for another type of lock
	 * @param cycles counted by the caller that has a key for itself
	 * @param numbers of which it uses the next
	 */
	StormKey(List<LockRequest> requests, SharedNumber cycles, Iterator<SharedNumber> numbers) {
		this.requests = requests;
		this.cycles = cycles;
		this.inside = numbers.next();
		this.leftAt = numbers.next();
		this.longestGap = numbers.next();
		this.grants = numbers.next();
		this.refusals = numbers.next();
		this.refusalsOfFreeKey = numbers.next();
		this.overlaps = numbers.next();
	}

	List<LockRequest> requests() {
		return this.requests;
	}

	LockRequest anyRequest() {
		return this.requests.get(ThreadLocalRandom.current().nextInt(this.requests.size()));
	}

	void enter(LockRequest request) {
		long before = this.inside.add(weight(request));
		if (before == 0) {
			this.longestGap.atLeast(gap());
		}
		if (before + weight(request) > limit(request)) {
			this.overlaps.add(1);
		}
		this.grants.add(1);
	}

	void leave(LockRequest request) {
		this.leftAt.set(this.cycles.get());
		this.inside.add(-weight(request));
	}

	void refused() {
		this.refusals.add(1);
		if (this.inside.get() == 0) {
			this.refusalsOfFreeKey.add(1);
		}
	}

	long grants() {
		return this.grants.get();
	}

	long overlaps() {
		return this.overlaps.get();
	}

	/**
	 * Return how many cycles there were at most while nobody was inside.
	 */
	long longestGap() {
		return Math.max(gap(), this.longestGap.get());
	}

	private long gap() {
		return this.cycles.get() - this.leftAt.get();
	}

	private static int weight(LockRequest request) {
		return (request.type() == LockType.READ || request.type() == LockType.SEMAPHORE) ? 1 : ALONE;
	}

	private static int limit(LockRequest request) {
		return (request.type() == LockType.SEMAPHORE) ? request.permits() : ALONE;
	}

	@Override
	public String toString() {
		return "%s granted, %s refused, %s of them without an owner inside, at most %s cycles without an owner"
			.formatted(grants(), this.refusals.get(), this.refusalsOfFreeKey.get(), longestGap());
	}

}
