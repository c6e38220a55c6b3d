package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

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

	@Override
	public void unlock() {
		this.template.asLock(this.request).unlock();
	}

	@Override
	public Condition newCondition() {
		return this.template.asLock(this.request).newCondition();
	}

}
