package io.distributedlock.sample;

import io.distributedlock.test.process.ChildJvm;

/**
 * Reads what a demonstration prints.
 */
final class Demonstration {

	private Demonstration() {
	}

	/**
	 * Return the last number of a line: how many sends the platform has refused.
	 */
	static long refused(ChildJvm demo, String row) {
		String line = demo.awaitLine(row).trim();
		return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
	}

}
