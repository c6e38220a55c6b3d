package io.distributedlock.application;

import java.util.function.Supplier;

import io.distributedlock.annotation.DistributedLock;

/**
 * What an application adds to have locks.
 */
class LockedOrders {

	@DistributedLock(name = "order", key = "#id")
	public <T> T settle(String id, Supplier<T> work) {
		return work.get();
	}

}
