package io.distributedlock.engine.internal.key;

import java.util.Objects;

import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.engine.internal.lease.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * How an acquisition ended: with a lock, with a reason, or with a failure of the backend.
 * Exceptions are made from it on the thread of the caller, so that their stack trace
 * shows the caller.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md
 *
 * @param lock the lock that was acquired
 * @param reason why it was not acquired
 * @param failure what the backend reported
 */
public record AcquisitionOutcome(@Nullable HeldLock lock, @Nullable Reason reason, @Nullable Throwable failure) {

	public static final AcquisitionOutcome CONTENDED = new AcquisitionOutcome(null, Reason.CONTENDED, null);

	static final AcquisitionOutcome CROWDED = new AcquisitionOutcome(null, Reason.CROWDED, null);

	public static final AcquisitionOutcome INTERRUPTED = new AcquisitionOutcome(null, Reason.INTERRUPTED, null);

	public static final AcquisitionOutcome CLOSED = new AcquisitionOutcome(null, Reason.CLOSED, null);

	public static AcquisitionOutcome acquired(HeldLock lock) {
		return new AcquisitionOutcome(lock, null, null);
	}

	public static AcquisitionOutcome unavailable(Throwable failure) {
		return new AcquisitionOutcome(null, null, failure);
	}

	/**
	 * Return what the backend reported, if there is neither a lock nor a reason.
	 */
	public Throwable requiredFailure() {
		return Objects.requireNonNull(this.failure, "failure");
	}

}
