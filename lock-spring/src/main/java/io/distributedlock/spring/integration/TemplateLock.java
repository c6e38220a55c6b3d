package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * A view of one lock. Each call may set a lease time of its own.
 *
 * @param template acquires the lock
 * @param request what to acquire
 * @param leaseTimes remembers the lease times of calls
 */
record TemplateLock(LockTemplate template, LockRequest request, LeaseTimes leaseTimes) implements DistributedLock {

	@Override
	public void lock() {
		this.template.asLock(this.request).lock();
	}

	@Override
	public void lock(Duration ttl) {
		this.template.asLock(this.request.withLeaseTime(ttl)).lock();
		this.leaseTimes.locked(ttl);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.template.asLock(this.request).lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return this.template.asLock(this.request).tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.template.asLock(this.request).tryLock(time, unit);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		// the conversion saturates
		boolean locked = this.template.asLock(this.request.withLeaseTime(ttl))
			.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
		if (locked) {
			this.leaseTimes.locked(ttl);
		}
		return locked;
	}

	/**
	 * Unlock as the registries of Spring Integration do, which tell a loss when the last
	 * hold ends. A lock that was acquired again inside a lost one tells it too: leader
	 * election would take that for a sign that its first lock is still held.
	 */
	@Override
	public void unlock() {
		List<LockHandle> before = LockContext.capture().handles();
		List<LockHandle> lost = before.stream().filter((each) -> !each.isValid()).toList();
		this.template.asLock(this.request).unlock();
		LockHandle unlocked = before.stream().filter(LockHandle::isClosed).findFirst().orElseThrow();
		boolean told = !lost.contains(unlocked)
				|| LockContext.capture().handles().stream().noneMatch((each) -> each.key().equals(unlocked.key()));
		if (told && lost.stream().anyMatch((each) -> each.key().equals(unlocked.key()))) {
			throw new ConcurrentModificationException(
					"Lock '%s' was lost before it was unlocked. Others may have changed what it protects"
						.formatted(unlocked.key()));
		}
	}

	@Override
	public Condition newCondition() {
		return this.template.asLock(this.request).newCondition();
	}

}
