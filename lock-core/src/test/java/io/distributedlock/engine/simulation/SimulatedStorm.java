package io.distributedlock.engine.simulation;

import java.time.Duration;

import io.distributedlock.LockType;

/**
 * A storm of one run: many calls that end soon, for one or two keys, and ask again at
 * once. Each attempt has a place in the queue of the server.
 *
 * @param type the type of all locks
 * @param waits whether some of the calls wait, are cancelled or interrupted
 */
record SimulatedStorm(LockType type, boolean waits) {

	/**
	 * For how many round trips a key may be free while calls keep coming.
	 */
	static final int LONGEST_GAP = 20;

	static SimulatedStorm draw(SimulatedWorld world) {
		return new SimulatedStorm(world.chance(500) ? LockType.FAIR : LockType.EXCLUSIVE, world.chance(500));
	}

	/**
	 * Return how many of a thousand calls end before their time.
	 */
	int givesUp() {
		return this.waits ? 400 : 0;
	}

	/**
	 * Draw how long a call waits: not at all, for less than a round trip, or briefly.
	 */
	Duration waitTime(SimulatedWorld world, long roundTripNanos) {
		return switch (this.waits ? (int) world.random(4) : 0) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofNanos(world.random(roundTripNanos));
			default -> Duration.ofMillis(20 + world.random(41));
		};
	}

}
