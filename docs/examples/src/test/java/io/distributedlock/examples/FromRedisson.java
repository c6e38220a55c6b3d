package io.distributedlock.examples;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

@Service
class FromRedisson {

	private final LockTemplate lockTemplate;

	FromRedisson(LockTemplate lockTemplate) {
		this.lockTemplate = lockTemplate;
	}

	@DistributedLock(name = "stock", key = "#item", waitTime = "2s")
	public String take(String item) {
		return "taken";
	}

	public void move(String from, String to, Runnable work) {
		LockRequest both = LockRequest.ofAll(List.of(from, to)).withName("stock").withWaitTime(Duration.ofSeconds(2));
		try (LockHandle lock = this.lockTemplate.acquire(both)) {
			lock.onLost((loss) -> Thread.currentThread().interrupt());
			work.run();
		}
	}

	Lock lock(String item) {
		return this.lockTemplate.asLock(LockRequest.of(item).withName("stock").withLeaseTime(Duration.ofSeconds(10)));
	}

	ReadWriteLock shelf(String shelf) {
		return this.lockTemplate.asReadWriteLock(LockRequest.of(shelf).withName("shelf"));
	}

	CompletableFuture<LockHandle> permit() {
		LockRequest request = LockRequest.of("reports").withPermits(3);
		return this.lockTemplate.acquireAsync(request);
	}

}
