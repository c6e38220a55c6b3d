package io.distributedlock.sample;

import java.time.Duration;

/**
 * A clock that runs faster than the real one, so that a viewer sees many refreshes. The
 * latency of the API stays real.
 */
public final class DemoClock {

	/**
	 * The two hours of a token take four seconds.
	 */
	private static final int SPEED = 1800;

	private DemoClock() {
	}

	/**
	 * Convert a duration of the fast clock into real time.
	 * @param onFastClock the duration as the API states it
	 * @return the real duration
	 */
	public static Duration real(Duration onFastClock) {
		return onFastClock.dividedBy(SPEED);
	}

}
