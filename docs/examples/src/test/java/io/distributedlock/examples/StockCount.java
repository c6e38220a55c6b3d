package io.distributedlock.examples;

import java.util.concurrent.locks.Lock;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import org.springframework.stereotype.Service;

@Service
class StockCount {

	private final Lock lock;

	private final Runnable count;

	StockCount(LockTemplate lockTemplate, Runnable count) {
		this.lock = lockTemplate.asLock(LockRequest.of("stock"));
		this.count = count;
	}

	void run() {
		this.lock.lock();
		try {
			this.count.run();
		}
		finally {
			this.lock.unlock();
		}
	}

}
