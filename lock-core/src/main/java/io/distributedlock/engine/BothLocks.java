package io.distributedlock.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockedCall;

/**
 * Two locks as one, for the one release between a lock of another library and one of
 * this: nodes before that release have the old lock only, nodes after it ours only, and
 * both kinds exclude a node that has both. The old lock is always taken first, so two
 * nodes never wait for each other. Locks are released in the reverse order, and the old
 * one also if ours could not be taken. As thread-safe and re-entrant as both locks are.
 *
 * <pre class="code">
 * Lock lock = new BothLocks(old, lockTemplate.asLock(request));
 * </pre>
 *
 * @since 0.1
 */
public final class BothLocks implements Lock {

	private final Lock old;

	private final Lock ours;

	/**
	 * Make one lock of two.
	 * @param old the lock that nodes of the release before have, taken first
	 * @param ours the lock that nodes of the next release have
	 */
	public BothLocks(Lock old, Lock ours) {
		this.old = old;
		this.ours = ours;
	}

	/**
	 * Take both locks where the old one is no {@link Lock}.
	 *
	 * <pre class="code">
	 * try (AutoCloseable both = BothLocks.acquire(() -&gt; {
	 * 	mutex.acquire();
	 * 	return mutex::release;
	 * }, () -&gt; lockTemplate.acquire(request))) { ... }
	 * </pre>
	 * @param old takes the old lock or throws, and returns what releases it
	 * @param ours does the same with ours
	 * @return what releases both
	 * @throws Exception what the functions throw
	 */
	public static AutoCloseable acquire(Callable<? extends AutoCloseable> old, Callable<? extends AutoCloseable> ours)
			throws Exception {
		AutoCloseable first = old.call();
		try {
			AutoCloseable second = ours.call();
			return () -> {
				try (first) {
					second.close();
				}
			};
		}
		catch (Throwable ex) {
			try (first) {
				throw ex;
			}
		}
	}

	@Override
	public void lock() {
		this.old.lock();
		andOurs(() -> {
			this.ours.lock();
			return true;
		});
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.old.lockInterruptibly();
		andOurs(() -> {
			this.ours.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return this.old.tryLock() && andOurs(this.ours::tryLock);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		long start = System.nanoTime();
		long nanos = unit.toNanos(time);
		return this.old.tryLock(time, unit)
				&& andOurs(() -> this.ours.tryLock(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS));
	}

	@Override
	public void unlock() {
		Held first = this.old::unlock;
		try (first) {
			this.ours.unlock();
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Two locks have no common condition");
	}

	private <E extends Exception> boolean andOurs(LockedCall<Boolean, E> second) throws E {
		Held first = this.old::unlock;
		try {
			if (second.call()) {
				return true;
			}
		}
		catch (Throwable ex) {
			try (first) {
				throw ex;
			}
		}
		first.close();
		return false;
	}

	/**
	 * A lock that was taken.
	 */
	@FunctionalInterface
	private interface Held extends AutoCloseable {

		@Override
		void close();

	}

}
