package io.distributedlock.sample;

import java.util.Arrays;

import io.distributedlock.sample.coordinator.CoordinatorApplication;
import io.distributedlock.sample.node.NodeApplication;

/**
 * Starts the coordinator, which starts this again for each node.
 */
public final class SampleApplication {

	/**
	 * The argument that makes a JVM a node.
	 */
	public static final String NODE_ROLE = "--demo.role=node";

	private SampleApplication() {
	}

	public static void main(String[] args) {
		if (Arrays.asList(args).contains(NODE_ROLE)) {
			NodeApplication.run(args);
		}
		else {
			CoordinatorApplication.run(args);
		}
	}

}
