package io.distributedlock.engine.simulation;

import java.time.Duration;

/**
 * How the locks of one run are handed over: inside a JVM by its template, and between
 * JVMs by the server.
 *
 * @param window for how long callers of a JVM get a lock one after the other
 * @param limit how many of them do
 * @param tokens how many tokens the server grants with a lease at most
 * @param says how many of a thousand times a lease says that nobody waits for it
 * @param grants whether the server grants the lock to the next place when it is released,
 * for a short time, and tells its node
 */
record SimulatedHandOver(Duration window, int limit, int tokens, int says, boolean grants) {

	static final SimulatedHandOver NONE = new SimulatedHandOver(Duration.ZERO, 1, 1, 0, false);

	static SimulatedHandOver draw(SimulatedWorld world) {
		Duration[] windows = { Duration.ofMillis(3), Duration.ofMillis(50), Duration.ofSeconds(5) };
		int[] limits = { 1, 3, 1000 };
		int[] blocks = { 2, 5, 1024 };
		int[] says = { 0, 500, 1000 };
		return new SimulatedHandOver(windows[(int) world.random(3)], limits[(int) world.random(3)],
				blocks[(int) world.random(3)], says[(int) world.random(3)], world.chance(500));
	}

}
