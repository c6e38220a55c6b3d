package com.example.warehouse;

import java.util.concurrent.Callable;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;

/**
 * What is inherited has locks too.
 */
class BaseOrders {

	@DistributedLock(name = "orders", key = "#order.id", waitTime = "0", fallback = "later")
	public String settle(Order order, Callable<String> work) throws Exception {
		return work.call();
	}

	String later(Order order, Callable<String> work, LockNotAcquiredException contention) {
		return "later: " + contention.getKey();
	}

}
