package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.distributedlock.test.clock.AdjustableClock;

/**
 * Puts the clock forward while calls wait for certain keys.
 */
final class SkippedWaits {

	private static final Duration FIRST_STEP = Duration.ofMillis(100);

	/**
	 * Each step is that part of the time that has passed: few steps, and the clock does
	 * not go much further than the call waits.
	 */
	private static final int STEPS = 10;

	/**
	 * Some calls wait without end.
	 */
	private static final Duration LONGEST = Duration.ofDays(1);

	private final Set<String> fullKeys = ConcurrentHashMap.newKeySet();

	private final AdjustableClock clock;

	/**
	 * How often it was asked to skip since nobody does.
	 */
	private final AtomicInteger asked = new AtomicInteger();

	SkippedWaits(AdjustableClock clock) {
		this.clock = clock;
	}

	void addAll(Collection<String> added) {
		this.fullKeys.addAll(added);
	}

	void removeAll(Collection<String> removed) {
		removed.forEach(this.fullKeys::remove);
	}

	/**
	 * Let the waits pass that are to be skipped. One call does so for all: several would
	 * wait for each other at each step.
	 * @param isWaitedFor whether a call still waits for a key
	 */
	void skip(Predicate<String> isWaitedFor) {
		if (this.asked.getAndIncrement() > 0) {
			return;
		}
		try {
			int seen;
			do {
				seen = this.asked.get();
				skipWhile(() -> this.fullKeys.stream().anyMatch(isWaitedFor));
			}
			while (!this.asked.compareAndSet(seen, 0));
		}
		catch (RuntimeException | Error ex) {
			this.asked.set(0);
			throw ex;
		}
	}

	private void skipWhile(BooleanSupplier waits) {
		Duration passed = Duration.ZERO;
		while (waits.getAsBoolean() && passed.compareTo(LONGEST) < 0) {
			Duration part = passed.dividedBy(STEPS);
			Duration step = (part.compareTo(FIRST_STEP) > 0) ? part : FIRST_STEP;
			this.clock.advanceWhile(step, waits);
			passed = passed.plus(step);
		}
	}

}
