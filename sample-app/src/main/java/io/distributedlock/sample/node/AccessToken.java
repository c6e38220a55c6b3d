package io.distributedlock.sample.node;

import java.time.Duration;

import io.distributedlock.sample.DemoClock;

/**
 * A token that the nodes share.
 *
 * @param value the token itself
 * @param expiresAtMillis when it expires, in milliseconds since the epoch
 */
record AccessToken(String value, long expiresAtMillis) {

	/**
	 * How long before its expiry a token is no longer used for new sends.
	 */
	private static final Duration MARGIN = DemoClock.real(Duration.ofMinutes(24));

	/**
	 * How long a send may take that has started with the token.
	 */
	private static final Duration DRAIN = DemoClock.real(Duration.ofMinutes(14));

	boolean isUsable() {
		return millisUntil(this.expiresAtMillis - MARGIN.toMillis()) > 0;
	}

	/**
	 * Return how long to wait before the token is replaced: until then a send may still
	 * use it.
	 */
	long drainMillis() {
		return Math.max(0, millisUntil(this.expiresAtMillis - MARGIN.toMillis() + DRAIN.toMillis()));
	}

	private static long millisUntil(long instant) {
		return instant - System.currentTimeMillis();
	}

}
