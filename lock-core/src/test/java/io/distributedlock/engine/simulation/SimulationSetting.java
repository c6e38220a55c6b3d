package io.distributedlock.engine.simulation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How the templates of one run are configured, and how large it is.
 */
record SimulationSetting(SimulatedWorld world, Duration waitTime, Duration renewalLeaseTime, Duration commandTimeout,
		Duration pollInterval, Duration lockDelay, boolean signals, boolean exactExpiry, boolean queuesAll, int nodes,
		int keys, int callers, int calls, boolean crowd, boolean calm, boolean readsOn, SimulatedHandOver handOver,
		@Nullable SimulatedStorm storm) {

	/**
	 * More than a stack is deep.
	 */
	private static final int CROWD = 1000;

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	/**
	 * Draw a setting.
	 * @param readsOn whether writers may go on reading. It is not drawn: what follows
	 * from a seed that failed before there was this stays what it was
	 * @param handsOver whether locks are handed over. It is not drawn either
	 * @param queues whether all lock types have a queue in any case. Not drawn either
	 * @param storms whether many calls that end soon ask for the same keys. Not drawn
	 * either
	 */
	static SimulationSetting draw(SimulatedWorld world, boolean readsOn, boolean handsOver, boolean queues,
			boolean storms) {
		boolean crowd = !storms && world.chance(10);
		boolean calm = world.chance(storms ? 700 : 200);
		// in a storm all other callers of a JVM may have their turn before a call
		int shortest = storms ? 300 : 50;
		return new SimulationSetting(world, millis(world, 0, 50, 1000),
				crowd ? Duration.ofSeconds(10) : millis(world, 100, 1000, 10_000),
				(calm && world.chance(50)) ? FOREVER : millis(world, shortest, 300, 3000), millis(world, 20, 100, 500),
				world.chance(150) ? millis(world, 10, 300) : Duration.ZERO, world.chance(600), world.chance(700),
				world.chance(200) || queues || storms, crowd ? 1 : 1 + (int) world.random(3),
				crowd ? 1 : 1 + (int) world.random(storms ? 2 : 4),
				crowd ? CROWD : (storms ? 6 : 1) + (int) world.random(storms ? 19 : 8),
				crowd ? CROWD : (storms ? 400 : 20) + (int) world.random(storms ? 400 : 180), crowd, calm, readsOn,
				handsOver ? SimulatedHandOver.draw(world) : SimulatedHandOver.NONE,
				storms ? SimulatedStorm.draw(world) : null);
	}

	/**
	 * Return what the clock of a node shows at the begin: anything that a JVM's may, also
	 * just before it overflows.
	 */
	long clockOffset() {
		return switch ((int) this.world.random(4)) {
			case 0 -> 0;
			case 1 -> -this.world.random(Long.MAX_VALUE);
			case 2 -> Long.MAX_VALUE - this.world.random(60_000_000_000L);
			default -> this.world.random(Long.MAX_VALUE);
		};
	}

	/**
	 * Return by how many millionths the clock of a node runs fast: within what the margin
	 * of a lease allows for.
	 */
	long clockFastPpm() {
		return this.world.random(10_001) - 5000;
	}

	private static Duration millis(SimulatedWorld world, long... choices) {
		return Duration.ofMillis(choices[(int) world.random(choices.length)]);
	}

}
