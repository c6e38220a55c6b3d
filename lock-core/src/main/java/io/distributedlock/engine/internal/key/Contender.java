package io.distributedlock.engine.internal.key;

import java.util.concurrent.CompletionStage;

import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.Successor;
import org.jspecify.annotations.Nullable;

/**
 * A call of this JVM that wants a key, as the local gate knows it.
 * <p>
 * Why: docs/decisions/002-local-gate.md
 */
public interface Contender extends Successor {

	/**
	 * A call that is through the gate and has the lock.
	 */
	Contender HOLDER = new Contender() {

		@Override
		public void onTurn() {
			throw new IllegalStateException("It is through the gate");
		}

		@Override
		public AcquisitionOutcome verdict() {
			return AcquisitionOutcome.CONTENDED;
		}

		@Override
		public boolean fits(HeldLock lock) {
			return false;
		}

		@Override
		public void takeOver(HeldLock lock) {
			throw new IllegalStateException("It has the lock");
		}

		@Override
		public CompletionStage<Boolean> exchange(HeldLock lock) {
			throw new IllegalStateException("It has the lock");
		}
	};

	/**
	 * The gate lets this call through after it stood in line. Called on the thread of the
	 * one who left, after the step that made it leave.
	 */
	void onTurn();

	/**
	 * Return what this call knows of the key, for the calls behind it.
	 * @return contended or unavailable; {@code null} if it does not know yet
	 */
	@Nullable AcquisitionOutcome verdict();

	/**
	 * Return whether this call may have a lock as it is now, without asking the backend.
	 * Called inside an atomic operation of the gate.
	 * @param lock the lock, which its holder has left
	 */
	boolean fits(HeldLock lock);

	/**
	 * The backend has failed for the call that is through the gate for so long that a
	 * call which waits without end is to end.
	 * @param outage how it ends
	 * @return whether this call waits on nevertheless
	 */
	default boolean onOutage(AcquisitionOutcome outage) {
		return false;
	}

	/**
	 * Return whether this call can take a place at the backend in the same step as a lock
	 * is released. Called inside an atomic operation of the gate.
	 * @param lock the lock, which its holder has left
	 */
	default boolean exchanges(HeldLock lock) {
		return false;
	}

}
