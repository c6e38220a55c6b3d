package io.distributedlock.test;

import java.util.Iterator;

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

	private final LockRequest request;

	private final SharedNumber cycles;

	private final SharedNumber inside;

	private final SharedNumber leftAt;

	private final SharedNumber longestGap;

	private final SharedNumber grants;

	private final SharedNumber refusals;

	private final SharedNumber overlaps;

	/**
	 * Create a key.
	 * @param request asks for it
	 * @param cycles counted by the caller that has a key for itself
	 * @param numbers of which it uses the next
	 */
	StormKey(LockRequest request, SharedNumber cycles, Iterator<SharedNumber> numbers) {
		this.request = request;
		this.cycles = cycles;
		this.inside = numbers.next();
		this.leftAt = numbers.next();
		this.longestGap = numbers.next();
		this.grants = numbers.next();
		this.refusals = numbers.next();
		this.overlaps = numbers.next();
	}

	LockRequest request() {
		return this.request;
	}

	void enter() {
		long before = this.inside.add(weight());
		if (before == 0) {
			this.longestGap.atLeast(gap());
		}
		if (before + weight() > limit()) {
			this.overlaps.add(1);
		}
		this.grants.add(1);
	}

	void leave() {
		this.leftAt.set(this.cycles.get());
		this.inside.add(-weight());
	}

	void refused() {
		this.refusals.add(1);
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

	private int weight() {
		return (this.request.type() == LockType.READ || this.request.type() == LockType.SEMAPHORE) ? 1 : ALONE;
	}

	private int limit() {
		return (this.request.type() == LockType.SEMAPHORE) ? this.request.permits() : ALONE;
	}

	@Override
	public String toString() {
		return "%s: %s granted, %s refused, at most %s cycles without an owner".formatted(this.request.type(), grants(),
				this.refusals.get(), longestGap());
	}

}
