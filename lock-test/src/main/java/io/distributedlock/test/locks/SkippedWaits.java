package io.distributedlock.test.locks;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
	 * Let the wait for a key pass, if it is to be skipped.
	 * @param isWaitedFor whether a call still waits for the key
	 */
	void skip(String fullKey, Predicate<String> isWaitedFor) {
		Duration passed = Duration.ZERO;
		BooleanSupplier waits = () -> this.fullKeys.contains(fullKey) && isWaitedFor.test(fullKey);
		while (waits.getAsBoolean() && passed.compareTo(LONGEST) < 0) {
			Duration part = passed.dividedBy(STEPS);
			Duration step = (part.compareTo(FIRST_STEP) > 0) ? part : FIRST_STEP;
			this.clock.advanceWhile(step, waits);
			passed = passed.plus(step);
		}
	}

}
