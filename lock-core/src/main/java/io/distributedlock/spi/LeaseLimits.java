package io.distributedlock.spi;

import java.time.Duration;

/**
 * The lease times that a provider can keep. The engine refuses others before it asks the
 * provider, and an application with such an annotation fails to start. A request for more
 * than {@link #DEFAULT} is reduced to that, with a warning.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 *
 * @param shortest the shortest lease
 * @param longest the longest lease
 * @since 0.1
 */
public record LeaseLimits(Duration shortest, Duration longest) {

	/**
	 * From one millisecond to 365 days. A longer lease is a mistake in the configuration,
	 * and with some backends it leaves a key that never expires.
	 */
	public static final LeaseLimits DEFAULT = new LeaseLimits(Duration.ofMillis(1), Duration.ofDays(365));

	/**
	 * Return whether the provider can keep a lease of this length.
	 * @param leaseTime the length
	 * @return {@code true} if it is neither too short nor too long
	 */
	public boolean allow(Duration leaseTime) {
		return leaseTime.compareTo(this.shortest) >= 0 && leaseTime.compareTo(this.longest) <= 0;
	}

}
