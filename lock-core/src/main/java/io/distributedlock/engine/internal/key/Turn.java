package io.distributedlock.engine.internal.key;

import java.util.List;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Passage;
import io.distributedlock.engine.internal.lease.Successor;
import org.jspecify.annotations.Nullable;

/**
 * A call's right to pass the local gate. It is entered once, and left in any case.
 * <p>
 * Why: docs/decisions/002-local-gate.md
 */
public interface Turn extends Passage {

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
		public @Nullable Successor passOn(HeldLock lock) {
			return null;
		}

		@Override
		public @Nullable Successor exchange(HeldLock lock) {
			return null;
		}
	};

	/**
	 * Enter the gate.
	 * @return {@code true} if the call is through; {@code false} if it stands in line
	 */
	boolean enter();

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
	 * Return the call of this JVM that is through the gate if this one is not.
	 */
	default @Nullable Contender front() {
		return null;
	}

	/**
	 * Return how many callers of this JVM are expected to get the lock one after the
	 * other before it is released.
	 */
	int expectedHolders();

	/**
	 * Return the calls of this JVM that stand behind this one, which is through the gate.
	 */
	default List<Contender> behind() {
		return List.of();
	}

}
