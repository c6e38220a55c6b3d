package io.distributedlock.examples;

import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import org.springframework.stereotype.Component;

@Component
class BothLocks {

	private final LockTemplate lockTemplate;

	BothLocks(LockTemplate lockTemplate) {
		this.lockTemplate = lockTemplate;
	}

	public <T> T execute(Lock old, LockRequest ours, Supplier<T> work) {
		old.lock();
		try {
			return this.lockTemplate.execute(ours, () -> work.get());
		}
		finally {
			old.unlock();
		}
	}

}
