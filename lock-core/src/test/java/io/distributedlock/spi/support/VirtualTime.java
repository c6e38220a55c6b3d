package io.distributedlock.spi.support;

import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Lets what waits in this package wait in the time of the simulation.
 */
public final class VirtualTime {

	private VirtualTime() {
	}

	/**
	 * Create what removes owners that nobody knows of.
	 * @param nanoTime the clock
	 * @param later runs a task after some milliseconds
	 */
	public static UnknownOwners unknownOwners(LongSupplier nanoTime, ObjLongConsumer<Runnable> later) {
		return new UnknownOwners(nanoTime, later);
	}

}
