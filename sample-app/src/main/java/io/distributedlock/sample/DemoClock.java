package io.distributedlock.sample;

import java.time.Duration;

/**
 * A clock that runs faster than the real one, so that the two hours of a token pass while
 * somebody watches. The latency of the API is not sped up.
 */
public final class DemoClock {

	/**
	 * Two hours pass in four seconds.
	 */
	private static final int SPEED = 1800;

	private DemoClock() {
	}

	/**
	 * Return how long a time on the fast clock really takes.
	 * @param onFastClock a time as the API states it
	 * @return the real time
	 */
	public static Duration real(Duration onFastClock) {
		return onFastClock.dividedBy(SPEED);
	}

}
