package io.distributedlock.engine.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * The local gate as a hold knows it: its caller is through, and other calls of this JVM
 * may stand behind.
 * <p>
 * Why: docs/decisions/002-local-gate.md
 */
public interface Passage {

	/**
	 * Leave the gate or the line, and let the next call through if this one was.
	 * Idempotent.
	 */
	void leave();

	/**
	 * Return whether another call of this JVM stands behind this one, which is through
	 * the gate.
	 */
	boolean isAwaited();

	/**
	 * Let the next call through with the lock that this call has.
	 * @return the next call, which is to take the lock over; {@code null} if there is
	 * none that it fits, and this call is still through the gate
	 */
	@Nullable Successor passOn(HeldLock lock);

	/**
	 * Let the next call through while the lock that this call has is released.
	 * @return the next call, which is to release the lock and take a place at the backend
	 * in one step; {@code null} if there is none that can, and this call is still through
	 * the gate
	 */
	@Nullable Successor exchange(HeldLock lock);

}
