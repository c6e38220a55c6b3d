package io.distributedlock.engine.internal.key;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Passage;
import io.distributedlock.engine.internal.lease.Successor;
import io.distributedlock.engine.internal.runtime.Trampoline;
import org.jspecify.annotations.Nullable;

/**
 * A key in use, and the only place where calls of several threads meet. One call is in
 * front: it asks the backend, or has the lock. The others stand in line, in the order of
 * their arrival. Each event changes the state in one atomic step, and tells a call of it
 * only after that. A picture of the states is in docs/architecture.md. Thread-safe.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md,
 * docs/decisions/043-passed-on-inside-a-jvm.md
 */
final class KeyLock implements Passage {

	private static final AtomicReferenceFieldUpdater<KeyLock, @Nullable Object> FRONT = AtomicReferenceFieldUpdater
		.newUpdater(KeyLock.class, Object.class, "front");

	/**
	 * How many callers are expected to get the lock one after the other, when callers
	 * have begun to wait for each other.
	 */
	private static final int FEWEST_HOLDERS = 8;

	/**
	 * Numbers that are not used are lost. This many last for some milliseconds, so a
	 * request for more is rare anyway.
	 */
	private static final int MOST_HOLDERS = 1024;

	private final ConcurrentMap<String, KeyLock> inUse;

	private final String localKey;

	/**
	 * The call that asks the backend, a {@link Waiter}, or what it has got, a
	 * {@link HeldLock}. The call is not kept then: a lock may be held for hours, and a
	 * node may hold thousands.
	 */
	private volatile @Nullable Object front;

	/**
	 * Created for the first call that stands in line, which most keys never have.
	 */
	private @Nullable Set<Waiter> line;

	private volatile boolean awaited;

	/**
	 * How many calls wait, also those that need not stand in line.
	 */
	private volatile int waiting;

	/**
	 * How many callers have had the lock since it came from the backend.
	 */
	private int holders = 1;

	private volatile int expectedHolders = 1;

	KeyLock(ConcurrentMap<String, KeyLock> inUse, String localKey, @Nullable Waiter first) {
		this.inUse = inUse;
		this.localKey = localKey;
		this.front = first;
	}

	/**
	 * Add a call. Only called inside an atomic step.
	 * @return whether it is in front
	 */
	boolean add(Waiter call) {
		if (this.front == null) {
			this.front = call;
			return true;
		}
		if (this.line == null) {
			this.line = new LinkedHashSet<>();
		}
		this.line.add(call);
		this.awaited = true;
		return false;
	}

	/**
	 * Count one more waiting call. Only called inside an atomic step.
	 */
	boolean join(int limit) {
		int before = this.waiting;
		if (before >= limit) {
			return false;
		}
		this.waiting = before + 1;
		return true;
	}

	/**
	 * Count one waiting call less. Only called inside an atomic step.
	 */
	void part() {
		int before = this.waiting;
		this.waiting = before - 1;
	}

	int waiting() {
		return this.waiting;
	}

	/**
	 * Return this, or nothing if no call wants the key any more.
	 */
	@Nullable KeyLock orGone() {
		return (this.front != null || this.waiting > 0) ? this : null;
	}

	/**
	 * The call in front has its lock. If the call leaves meanwhile, its lock is not in
	 * front, and the next call asks the backend although that lock is yet to be released.
	 */
	void hold(Waiter call, HeldLock lock) {
		FRONT.compareAndSet(this, call, lock);
	}

	/**
	 * A call goes without a lock. If it was in front, the next one asks. Idempotent.
	 */
	void leave(Waiter call) {
		admit(atomically(() -> {
			if (this.front == call) {
				return nextAsks();
			}
			remove(call);
			return null;
		}));
	}

	@Override
	public void leave(HeldLock lock) {
		admit(atomically(() -> (this.front == lock) ? nextAsks() : null));
	}

	@Override
	public @Nullable Successor passOn(HeldLock lock) {
		return atomically(() -> {
			Waiter next = (this.front == lock) ? next() : null;
			if (next == null || !next.fits(lock)) {
				return null;
			}
			remove(next);
			this.front = next;
			this.holders++;
			return next;
		});
	}

	@Override
	public @Nullable Successor exchange(HeldLock lock) {
		return atomically(() -> {
			Waiter next = (this.front == lock) ? next() : null;
			return (next != null && next.canExchange(lock)) ? nextAsks() : null;
		});
	}

	@Override
	public boolean isAwaited() {
		return this.awaited;
	}

	/**
	 * Return whether a call of this JVM has the lock.
	 */
	boolean isHeld() {
		return this.front instanceof HeldLock;
	}

	/**
	 * Return the call that asks the backend, {@code null} if none does.
	 */
	@Nullable Waiter asking() {
		return (this.front instanceof Waiter call) ? call : null;
	}

	/**
	 * Return how many callers of this JVM are expected to get the lock one after the
	 * other before it is released.
	 */
	int expectedHolders() {
		return this.expectedHolders;
	}

	/**
	 * Return the calls in line, if a call is in front of them.
	 */
	List<Waiter> behind(Waiter call) {
		List<Waiter> behind = atomically(
				() -> (this.front == call && this.line != null) ? List.copyOf(this.line) : null);
		return (behind != null) ? behind : List.of();
	}

	private @Nullable Waiter next() {
		return (this.line == null || this.line.isEmpty()) ? null : this.line.iterator().next();
	}

	private void remove(Waiter call) {
		if (this.line != null) {
			this.line.remove(call);
			this.awaited = !this.line.isEmpty();
		}
	}

	private @Nullable Waiter nextAsks() {
		Waiter next = next();
		if (next != null) {
			remove(next);
		}
		// twice as many as the last time, so that their number can grow
		this.expectedHolders = (next != null) ? Math.min(Math.max(2 * this.holders, FEWEST_HOLDERS), MOST_HOLDERS) : 1;
		this.front = next;
		this.holders = 1;
		return next;
	}

	private static void admit(@Nullable Waiter next) {
		if (next != null) {
			Trampoline.run(next::onTurn);
		}
	}

	/**
	 * Change the state in one atomic step. A key that has gone does not change.
	 */
	private <T> @Nullable T atomically(Supplier<@Nullable T> change) {
		AtomicReference<@Nullable T> result = new AtomicReference<>();
		this.inUse.computeIfPresent(this.localKey, (ignored, current) -> {
			if (current != this) {
				return current;
			}
			result.set(change.get());
			return orGone();
		});
		return result.get();
	}

}
