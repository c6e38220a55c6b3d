package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;

/**
 * A {@link Lock} over the template, for code that was written for locks of one JVM.
 */
final class LockView implements Lock {

	private final LockRequest request;

	private final DefaultLockTemplate template;

	LockView(LockRequest request, DefaultLockTemplate template) {
		this.request = request;
		this.template = template;
	}

	@Override
	public void lock() {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					lockInterruptibly();
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		if (!tryLock(LockTimes.FOREVER)) {
			// as many wait as may, and this method has no other way to say so
			throw this.template.crowded(this.request);
		}
	}

	@Override
	public boolean tryLock() {
		// as of any lock, it is no matter that the thread was interrupted before; only
		// while
		// the backend is asked an interrupt ends it, with an exception
		boolean interrupted = Thread.interrupted();
		try {
			return this.template.tryAcquire(this.request.withWaitTime(Duration.ZERO)).isPresent();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		// conversion to nanoseconds saturates, and so far the engine waits
		return tryLock((time > 0) ? LockTimes.saturated(Duration.ofNanos(unit.toNanos(time))) : Duration.ZERO);
	}

	@Override
	public void unlock() {
		if (!this.template.closeOnThread(this.request)) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by code on this thread".formatted(this.request.key()));
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private boolean tryLock(Duration waitTime) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			return this.template.tryAcquire(this.request.withWaitTime(waitTime)).isPresent();
		}
		catch (LockNotAcquiredException ex) {
			if (ex.getReason() == Reason.INTERRUPTED && Thread.interrupted()) {
				throw new InterruptedException(ex.getMessage());
			}
			throw ex;
		}
	}

}
