package io.distributedlock.spring.elsewhere;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;

/**
 * The base class of beans in another package.
 */
public abstract class Remote {

	private final List<String> state = List.of("state");

	/**
	 * Run this.
	 */
	@DistributedLock(waitTime = "0", fallback = "instead")
	public String run() {
		return "ran";
	}

	String instead() {
		return "instead, with " + this.state;
	}

	@DistributedLock
	String hidden() {
		return "hidden";
	}

}
