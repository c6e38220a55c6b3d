package io.distributedlock.engine.internal.runtime;

import java.time.Duration;

/**
 * Arithmetic on durations that does not overflow a {@code long} of nanoseconds.
 */
public final class LockTimes {

	/**
	 * A quarter of the range of the clock, 73 years, so that sums and differences of
	 * instants do not overflow.
	 */
	public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 4);

	private LockTimes() {
	}

	/**
	 * Return a lease time in whole milliseconds, rounded up, at least one.
	 */
	public static Duration wholeMillis(Duration leaseTime) {
		Duration saturated = saturated(leaseTime);
		if (saturated.toNanos() % 1_000_000 == 0) {
			return saturated;
		}
		return Duration.ofMillis(saturated.toMillis() + 1);
	}

	public static Duration saturated(Duration duration) {
		return (duration.compareTo(FOREVER) < 0) ? duration : FOREVER;
	}

	public static long saturatedNanos(Duration duration) {
		return saturated(duration).toNanos();
	}

	/**
	 * Return a duration as it is written in a configuration.
	 */
	public static String text(Duration duration) {
		if (duration.compareTo(FOREVER) >= 0) {
			return "ever";
		}
		long millis = duration.toMillis();
		return (millis % 1000 == 0) ? (millis / 1000) + "s" : millis + "ms";
	}

}
