package io.distributedlock.boot.test;

import io.distributedlock.annotation.DistributedLock;

/**
 * A service with locks on two providers.
 */
class Orders {

	@DistributedLock(name = "order", key = "#id", waitTime = "0")
	public void settle(int id, Runnable work) {
		work.run();
	}

	@DistributedLock(name = "report", waitTime = "0", provider = "redlock")
	public void report(Runnable work) {
		work.run();
	}

}
