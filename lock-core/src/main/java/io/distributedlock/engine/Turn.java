package io.distributedlock.engine;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A call's right to pass the local gate. It is entered once, and left in any case.
 * <p>
 * Why: docs/decisions/002-local-gate.md
 */
interface Turn {

	/**
	 * The turn of a call that need not wait at the gate: of readers, who share the key,
	 * and of calls whose order is that of a queue on the backend.
	 */
	Turn FREE = new Turn() {

		@Override
		public boolean enter() {
			return true;
		}

		@Override
		public void leave() {
			// nobody waits behind it
		}

		@Override
		public void hold() {
			// nobody asks this call
		}

		@Override
		public AcquisitionOutcome verdict() {
			// no call of this JVM is in front, so others hold the key
			return AcquisitionOutcome.CONTENDED;
		}

		@Override
		public int expectedHolders() {
			return 1;
		}

		@Override
		public boolean isAwaited() {
			return false;
		}

		@Override
		public @Nullable Contender passOn(HeldLock lock) {
			return null;
		}
	};

	/**
	 * Enter the gate.
	 * @return {@code true} if the call is through; {@code false} if it stands in line
	 */
	boolean enter();

	/**
	 * Leave the gate or the line, and let the next call through if this one was.
	 * Idempotent.
	 */
	void leave();

	/**
	 * Note that this call has the lock. The gate then needs to know no more of it, so a
	 * lock that is held for hours keeps no memory of how it was acquired.
	 */
	void hold();

	/**
	 * Return how this call ends if its wait time is over before its turn comes.
	 * @return the outcome that the call inside the gate knows of; {@code null} if that
	 * call has no answer yet
	 */
	@Nullable AcquisitionOutcome verdict();

	/**
	 * Return whether this call stands behind one of this JVM that has the lock.
	 */
	default boolean isBehindHolder() {
		return false;
	}

	/**
	 * Return how many callers of this JVM are expected to get the lock one after the
	 * other before it is released.
	 */
	int expectedHolders();

	/**
	 * Return whether another call of this JVM stands behind this one, which is through
	 * the gate.
	 */
	boolean isAwaited();

	/**
	 * Return the calls of this JVM that stand behind this one, which is through the gate.
	 */
	default List<Contender> behind() {
		return List.of();
	}

	/**
	 * Let the next call through with the lock that this call has.
	 * @return the next call, which is to take the lock over; {@code null} if there is
	 * none that it fits, and this call is still through the gate
	 */
	@Nullable Contender passOn(HeldLock lock);

	/**
	 * Let the next call through while the lock that this call has is released.
	 * @return the next call, which is to release the lock and take a place at the backend
	 * in one step; {@code null} if there is none that can, and this call is still through
	 * the gate
	 */
	default @Nullable Contender exchange(HeldLock lock) {
		return null;
	}

}
