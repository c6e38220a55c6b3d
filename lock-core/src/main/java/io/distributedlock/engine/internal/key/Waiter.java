package io.distributedlock.engine.internal.key;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Successor;
import org.jspecify.annotations.Nullable;

/**
 * A call of this JVM that wants a key, as its {@link KeyLock} knows it.
 * <p>
 * Why: docs/decisions/002-one-object-for-a-key.md
 */
interface Waiter extends Successor {

	/**
	 * The call stands at a key; the last one that it is told counts. Called inside an
	 * atomic step of the key, or before the key is known to others.
	 */
	void standsAt(KeyLock lock);

	/**
	 * The call is in front after it stood in line, and is to ask the backend. Called on
	 * the thread of the call before, after the step that made that one leave.
	 */
	void onTurn();

	/**
	 * Return what this call knows of the key, for the calls behind it.
	 * @return contended or unavailable; {@code null} if it does not know yet
	 */
	@Nullable AcquisitionOutcome verdict();

	/**
	 * Return whether this call may have a lock as it is now, without asking the backend.
	 * Called inside an atomic step of the key.
	 * @param lock the lock, which its holder has left
	 */
	boolean fits(HeldLock lock);

	/**
	 * The backend has failed for the call in front for so long that a call which waits
	 * without end is to end.
	 * @param outage how it ends
	 * @return whether this call waits on nevertheless
	 */
	boolean onOutage(AcquisitionOutcome outage);

}
