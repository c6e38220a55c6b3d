package io.distributedlock.sample;

import io.distributedlock.test.process.ChildJvm;

/**
 * Reads the output of a demonstration.
 */
final class Demonstration {

	private Demonstration() {
	}

	/**
	 * Return the last number of a line: how many messages were refused.
	 */
	static long refused(ChildJvm demo, String row) {
		String line = demo.awaitLine(row).trim();
		return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
	}

}
