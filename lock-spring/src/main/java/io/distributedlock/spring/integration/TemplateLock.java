package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import org.jspecify.annotations.Nullable;

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
		this.leaseTimes.locked(this.request.key(), null);
	}

	@Override
	public void lock(Duration ttl) {
		this.template.asLock(this.request.withLeaseTime(ttl)).lock();
		this.leaseTimes.locked(this.request.key(), ttl);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.template.asLock(this.request).lockInterruptibly();
		this.leaseTimes.locked(this.request.key(), null);
	}

	@Override
	public boolean tryLock() {
		return noted(this.template.asLock(this.request).tryLock(), null);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return noted(this.template.asLock(this.request).tryLock(time, unit), null);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return noted(this.template.asLock(this.request.withLeaseTime(ttl))
			.tryLock(waitTime.toMillis(), TimeUnit.MILLISECONDS), ttl);
	}

	@Override
	public void unlock() {
		boolean held = true;
		try {
			this.template.asLock(this.request).unlock();
		}
		catch (IllegalMonitorStateException ex) {
			held = false;
			throw ex;
		}
		finally {
			if (held) {
				this.leaseTimes.unlocked(this.request.key());
			}
		}
	}

	@Override
	public Condition newCondition() {
		return this.template.asLock(this.request).newCondition();
	}

	private boolean noted(boolean locked, @Nullable Duration leaseTime) {
		if (locked) {
			this.leaseTimes.locked(this.request.key(), leaseTime);
		}
		return locked;
	}

}
