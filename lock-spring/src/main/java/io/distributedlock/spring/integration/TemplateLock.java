package io.distributedlock.spring.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * A view of one lock. Each call may set a lease time of its own.
 *
 * @param template acquires the lock
 * @param request what to acquire
 * @param locked knows what this thread has locked
 */
record TemplateLock(LockTemplate template, LockRequest request, LockedRequests locked) implements DistributedLock {

	@Override
	public void lock() {
		lock(renewed());
	}

	@Override
	public void lock(Duration ttl) {
		lock(this.request.withLeaseTime(ttl));
	}

	private void lock(LockRequest timed) {
		this.template.asLock(timed).lock();
		this.locked.locked(timed);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.template.asLock(renewed()).lockInterruptibly();
		this.locked.locked(this.request);
	}

	@Override
	public boolean tryLock() {
		return noted(this.template.asLock(renewed()).tryLock(), this.request);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return noted(this.template.asLock(renewed()).tryLock(time, unit), this.request);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		LockRequest timed = this.request.withLeaseTime(ttl);
		// the conversion saturates
		return noted(this.template.asLock(timed).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS),
				timed);
	}

	/**
	 * Return the request of a call that sets no lease time. It does not get that of the
	 * template, which {@code renewLock} could not extend.
	 */
	private LockRequest renewed() {
		return (this.request.leaseTime() != null) ? this.request : this.request.withAutoRenew(true);
	}

	private boolean noted(boolean success, LockRequest timed) {
		if (success) {
			this.locked.locked(timed);
		}
		return success;
	}

	/**
	 * Unlock as the registries of Spring Integration do, which tell a loss when the last
	 * hold ends. A lock that was acquired again inside a lost one tells it too: leader
	 * election would take that for a sign that its first lock is still held.
	 */
	@Override
	public void unlock() {
		List<LockHandle> held = this.locked.held(this.request);
		if (held.isEmpty()) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by code on this thread".formatted(this.request.key()));
		}
		boolean told = held.size() == 1 || held.get(0).isValid();
		boolean lost = !held.stream().allMatch(LockHandle::isValid);
		held.get(0).close();
		if (told && lost) {
			throw new ConcurrentModificationException(
					"Lock '%s' was lost before it was unlocked. Others may have changed what it protects"
						.formatted(held.get(0).key()));
		}
	}

	@Override
	public Condition newCondition() {
		return this.template.asLock(this.request).newCondition();
	}

}
