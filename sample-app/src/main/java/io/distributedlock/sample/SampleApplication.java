package io.distributedlock.sample;

import java.util.Arrays;

import io.distributedlock.sample.coordinator.CoordinatorApplication;
import io.distributedlock.sample.demonstration.DemonstrationNode;

/**
 * Starts the coordinator, which starts one more JVM with this class for each node.
 */
public final class SampleApplication {

	/**
	 * The argument with which a JVM runs as a node.
	 */
	public static final String NODE_ROLE = "--demo.role=node";

	private SampleApplication() {
	}

	public static void main(String[] args) {
		if (Arrays.asList(args).contains(NODE_ROLE)) {
			DemonstrationNode.run(args);
		}
		else {
			CoordinatorApplication.run(args);
		}
	}

}
