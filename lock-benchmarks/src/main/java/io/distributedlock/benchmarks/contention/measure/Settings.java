package io.distributedlock.benchmarks.contention.measure;

import java.nio.file.Path;
import java.time.Duration;

import io.distributedlock.benchmarks.contention.contender.Backend;

/**
 * How long and how often to measure.
 *
 * @param rounds how often each contender is measured, in turns with the others
 * @param warmUp how long a contender runs before
 * @param time how long it is measured
 * @param keys the number of keys, where it says what many keys leave behind
 * @param output the folder of the results
 */
public record Settings(int rounds, Duration warmUp, Duration time, int keys, Path output) {

	/**
	 * Return how long a contender on a backend runs before. The clients of etcd and
	 * ZooKeeper, and the servers that run in a JVM, need longer. The compilers of several
	 * JVMs share the processors.
	 * @param jvms in how many JVMs
	 */
	Duration warmUp(Backend backend, int jvms) {
		boolean slow = backend == Backend.ETCD || backend == Backend.ZOOKEEPER;
		return this.warmUp.multipliedBy(Math.max(jvms, slow ? 2 : 1));
	}

	Path log(String name) {
		return this.output.resolve("logs").resolve(name + ".log");
	}

}
