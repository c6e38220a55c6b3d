package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * A view of one lock, with a lease time that each call may set.
 */
final class TemplateLock implements DistributedLock {

	private final LockTemplate template;

	private final LockRequest request;

	TemplateLock(LockTemplate template, LockRequest request) {
		this.template = template;
		this.request = request;
	}

	@Override
	public void lock() {
		this.template.asLock(this.request).lock();
	}

	@Override
	public void lock(Duration ttl) {
		this.template.asLock(this.request.withLeaseTime(ttl)).lock();
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
		return this.template.asLock(this.request.withLeaseTime(ttl))
			.tryLock(waitTime.toMillis(), TimeUnit.MILLISECONDS);
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
