package io.distributedlock.engine;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How an acquisition ended. Exceptions are made from it on the thread of the caller, so
 * that their stack trace shows the caller.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md
 *
 * @param status how it ended
 * @param lock the lock that was acquired
 * @param failure what the backend reported
 */
record AcquisitionOutcome(Status status, @Nullable HeldLock lock, @Nullable Throwable failure) {

	static final AcquisitionOutcome CONTENDED = new AcquisitionOutcome(Status.CONTENDED, null, null);

	static final AcquisitionOutcome CROWDED = new AcquisitionOutcome(Status.CROWDED, null, null);

	static final AcquisitionOutcome UNANSWERED = new AcquisitionOutcome(Status.UNANSWERED, null, null);

	static final AcquisitionOutcome INTERRUPTED = new AcquisitionOutcome(Status.INTERRUPTED, null, null);

	static final AcquisitionOutcome CLOSED = new AcquisitionOutcome(Status.CLOSED, null, null);

	static AcquisitionOutcome acquired(HeldLock lock) {
		return new AcquisitionOutcome(Status.ACQUIRED, lock, null);
	}

	static AcquisitionOutcome unavailable(Throwable failure) {
		return new AcquisitionOutcome(Status.UNAVAILABLE, null, failure);
	}

	HeldLock requiredLock() {
		return Objects.requireNonNull(this.lock, "lock");
	}

	Throwable requiredFailure() {
		return Objects.requireNonNull(this.failure, "failure");
	}

	enum Status {

		ACQUIRED, CONTENDED, CROWDED, UNAVAILABLE, UNANSWERED, INTERRUPTED, CLOSED

	}

}
