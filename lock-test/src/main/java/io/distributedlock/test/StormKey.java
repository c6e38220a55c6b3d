package io.distributedlock.test;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.distributedlock.LockRequest;
import io.distributedlock.LockType;

/**
 * A key in a storm of calls: how many owners are inside, how often it was granted, and
 * the longest time for which nobody was inside. Time is counted in cycles of a caller
 * that has a key for itself, so a busy machine does not matter. Thread-safe.
 */
final class StormKey {

	/**
	 * More than all threads of a storm together.
	 */
	private static final int ALONE = 1000;

	private final LockRequest request;

	private final AtomicLong cycles;

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong leftAt = new AtomicLong();

	private final AtomicLong longestGap = new AtomicLong();

	private final LongAdder grants = new LongAdder();

	private final LongAdder refusals = new LongAdder();

	private final LongAdder overlaps = new LongAdder();

	/**
	 * Create a key.
	 * @param request asks for it
	 * @param cycles counted by the caller that has a key for itself
	 */
	StormKey(LockRequest request, AtomicLong cycles) {
		this.request = request;
		this.cycles = cycles;
	}

	LockRequest request() {
		return this.request;
	}

	void enter() {
		int before = this.inside.getAndAdd(weight());
		if (before == 0) {
			this.longestGap.accumulateAndGet(gap(), Math::max);
		}
		if (before + weight() > limit()) {
			this.overlaps.increment();
		}
		this.grants.increment();
	}

	void leave() {
		this.leftAt.set(this.cycles.get());
		this.inside.addAndGet(-weight());
	}

	void refused() {
		this.refusals.increment();
	}

	long grants() {
		return this.grants.sum();
	}

	long overlaps() {
		return this.overlaps.sum();
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
				this.refusals.sum(), longestGap());
	}

}
