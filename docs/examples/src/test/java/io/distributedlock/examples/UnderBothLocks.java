package io.distributedlock.examples;

import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.BothLocks;

import org.springframework.stereotype.Component;

@Component
class UnderBothLocks {

	private final LockTemplate lockTemplate;

	UnderBothLocks(LockTemplate lockTemplate) {
		this.lockTemplate = lockTemplate;
	}

	public <T> T execute(Lock old, LockRequest ours, Supplier<T> work) {
		Lock both = new BothLocks(old, this.lockTemplate.asLock(ours));
		both.lock();
		try {
			return work.get();
		}
		finally {
			both.unlock();
		}
	}

}
