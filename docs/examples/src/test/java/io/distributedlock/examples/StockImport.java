package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class StockImport {

	private final Steps steps;

	StockImport(Steps steps) {
		this.steps = steps;
	}

	@DistributedLock(name = "stock-import", leaseTime = "${stock-import.lease-time}")
	public void run() {
		LockHandle lock = LockContext.current();
		lock.onExpiring(Duration.ofSeconds(1), this.steps::saveProgress);
		this.steps.stage();
		lock.ensureAtLeast(Duration.ofSeconds(30));
		this.steps.commit();
	}

	interface Steps {

		void stage();

		void saveProgress();

		void commit();

	}

}
