package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class FromLock4j {

	private final LockTemplate lockTemplate;

	FromLock4j(LockTemplate lockTemplate) {
		this.lockTemplate = lockTemplate;
	}

	@DistributedLock(name = "seat", key = "#{#hall}.#{#seat}", waitTime = "3s", leaseTime = "60s", fallback = "taken")
	public String reserve(String hall, int seat) {
		return "reserved";
	}

	String taken(String hall, int seat) {
		return "somebody else is faster";
	}

	@DistributedLock(name = "submit", key = "#user", waitTime = "0", holdAtLeast = "5s")
	public String submit(String user) {
		return "submitted";
	}

	public boolean settle(String order, Runnable work) {
		LockRequest request = LockRequest.of(order).withName("order").withWaitTime(Duration.ofSeconds(5));
		try (LockHandle lock = this.lockTemplate.tryAcquire(request).orElse(null)) {
			if (lock == null) {
				return false;
			}
			work.run();
			return true;
		}
	}

}
