package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.runtime.LockTimes;

/**
 * A view of a lock as a {@link Lock}, for code that was written for locks of one JVM.
 *
 * @param request the lock; its wait time is not used
 * @param template acquires it
 */
record LockView(LockRequest request, DefaultLockTemplate template) implements Lock {

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
		interruptibly(() -> this.template.acquire(this.request.withWaitTime(LockTimes.FOREVER)));
	}

	@Override
	public boolean tryLock() {
		// an interrupt while the backend is asked ends the call with an exception
		return this.template.tryAcquire(this.request.withWaitTime(Duration.ZERO)).isPresent();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		// the conversion to nanoseconds saturates, at a time that the engine can wait
		Duration waitTime = (time > 0) ? LockTimes.saturated(Duration.ofNanos(unit.toNanos(time))) : Duration.ZERO;
		return interruptibly(() -> this.template.tryAcquire(this.request.withWaitTime(waitTime))).isPresent();
	}

	@Override
	public void unlock() {
		if (!this.template.closeOnThread(this.request)) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by code on this thread".formatted(this.request.text()));
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private static <T> T interruptibly(Supplier<T> call) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			return call.get();
		}
		catch (LockNotAcquiredException ex) {
			if (ex.getReason() == Reason.INTERRUPTED && Thread.interrupted()) {
				throw new InterruptedException(ex.getMessage());
			}
			throw ex;
		}
	}

}
