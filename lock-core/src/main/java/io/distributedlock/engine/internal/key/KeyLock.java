package io.distributedlock.engine.internal.key;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Passage;
import io.distributedlock.engine.internal.lease.Successor;
import io.distributedlock.engine.internal.request.KeyId;
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

	/**
	 * Where calls stand that take no turns, and holds that keep no call of this JVM out:
	 * readers and permits, who share the key, and calls whose order is that of a queue on
	 * the backend. Nobody is ever in front.
	 */
	static final KeyLock NOWHERE = new KeyLock(new ConcurrentHashMap<>(), new KeyId("", 0, ""), null);

	private final ConcurrentMap<KeyId, KeyLock> inUse;

	private final KeyId id;

	/**
	 * The call that asks the backend, a {@link Waiter}, or what it has got, a
	 * {@link HeldLock}. The call is not kept then: a lock may be held for hours, and a
	 * node may hold thousands.
	 */
	private volatile @Nullable Object front;

	/**
	 * Created for the first call that stands in line, which most keys never have.
	 */
	private Set<Waiter> line = Collections.emptySet();

	private volatile boolean awaited;

	private volatile int expectedHolders = 1;

	KeyLock(ConcurrentMap<KeyId, KeyLock> inUse, KeyId id, @Nullable Waiter first) {
		this.inUse = inUse;
		this.id = id;
		this.front = first;
	}

	/**
	 * Let a call stand in line. Only called inside an atomic step.
	 */
	void add(Waiter call) {
		if (!(this.line instanceof LinkedHashSet)) {
			this.line = new LinkedHashSet<>();
		}
		this.line.add(call);
		this.awaited = true;
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
			return next;
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
		List<Waiter> behind = atomically(() -> (this.front == call) ? List.copyOf(this.line) : null);
		return (behind != null) ? behind : List.of();
	}

	private @Nullable Waiter next() {
		return this.line.isEmpty() ? null : this.line.iterator().next();
	}

	private void remove(Waiter call) {
		this.line.remove(call);
		this.awaited = !this.line.isEmpty();
	}

	private @Nullable Waiter nextAsks() {
		Waiter next = next();
		if (next != null) {
			remove(next);
		}
		int holders = (this.front instanceof HeldLock lock) ? lock.index() + 1 : 1;
		// twice as many as the last time, so that their number can grow
		this.expectedHolders = (next != null) ? Math.min(Math.max(2 * holders, FEWEST_HOLDERS), MOST_HOLDERS) : 1;
		this.front = next;
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
		this.inUse.computeIfPresent(this.id, (ignored, current) -> {
			if (current != this) {
				return current;
			}
			result.set(change.get());
			return (this.front != null) ? this : null;
		});
		return result.get();
	}

}
