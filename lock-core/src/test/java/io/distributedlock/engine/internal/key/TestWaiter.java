package io.distributedlock.engine.internal.key;

import java.util.Objects;

import io.distributedlock.engine.internal.lease.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * A call that knows nothing of its key and takes no lock over.
 */
abstract class TestWaiter implements Waiter {

	private volatile @Nullable KeyLock key;

	/**
	 * Return where it stands, {@code null} before it has come.
	 */
	@Nullable KeyLock knownKey() {
		return this.key;
	}

	KeyLock key() {
		return Objects.requireNonNull(this.key);
	}

	@Override
	public void standsAt(KeyLock lock) {
		this.key = lock;
	}

	@Override
	public @Nullable AcquisitionOutcome verdict() {
		return null;
	}

	@Override
	public boolean fits(HeldLock lock) {
		return false;
	}

	@Override
	public boolean onOutage(AcquisitionOutcome outage) {
		return false;
	}

	@Override
	public void takeOver(HeldLock lock) {
		throw new AssertionError("nothing fits");
	}

}
