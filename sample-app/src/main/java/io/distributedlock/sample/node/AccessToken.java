package io.distributedlock.sample.node;

import java.time.Duration;

import io.distributedlock.sample.DemoClock;

/**
 * A token as the nodes share it.
 *
 * @param value what the API gave
 * @param expiresAtMillis when it expires, in milliseconds since the epoch
 */
record AccessToken(String value, long expiresAtMillis) {

	/**
	 * From here on no send starts with the token.
	 */
	private static final Duration MARGIN = DemoClock.real(Duration.ofMinutes(24));

	/**
	 * How long sends that have started with the token may still be under way.
	 */
	private static final Duration DRAIN = DemoClock.real(Duration.ofMinutes(14));

	boolean isUsable() {
		return millisUntil(this.expiresAtMillis - MARGIN.toMillis()) > 0;
	}

	/**
	 * Return how long to wait before the token may be replaced, which kills it.
	 */
	long drainMillis() {
		return Math.max(0, millisUntil(this.expiresAtMillis - MARGIN.toMillis() + DRAIN.toMillis()));
	}

	private static long millisUntil(long instant) {
		return instant - System.currentTimeMillis();
	}

}
