package io.distributedlock.engine.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * The key as a hold knows it: other calls of this JVM may stand behind.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 */
public interface Passage {

	/**
	 * A lock is released or lost: the next call asks the backend. Idempotent.
	 */
	void leave(HeldLock lock);

	/**
	 * Return whether a call of this JVM stands behind the lock.
	 */
	boolean isAwaited();

	/**
	 * Let the next call in with a lock, which its holder has left.
	 * @return the next call, which is to take the lock over; {@code null} if there is
	 * none that it fits, and nothing has changed
	 */
	@Nullable Successor passOn(HeldLock lock);

}
