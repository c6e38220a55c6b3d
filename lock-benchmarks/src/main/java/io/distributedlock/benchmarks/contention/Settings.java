package io.distributedlock.benchmarks.contention;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How long and how often to measure.
 *
 * @param rounds how often each contender is measured, in turns with the others
 * @param warmUp how long a contender runs before
 * @param time how long it is measured
 * @param keys the number of keys, where it says what many keys leave behind
 * @param output the folder of the results
 */
record Settings(int rounds, Duration warmUp, Duration time, int keys, Path output) {

	Path log(String name) {
		return this.output.resolve("logs").resolve(name + ".log");
	}

}
