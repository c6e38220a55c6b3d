package io.distributedlock.engine;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How an acquisition ended. Exceptions are made from it on the thread of the caller, so
 * that their stack trace shows the caller.
 *
 * @param kind how it ended
 * @param lock the lock that was acquired
 * @param failure what the backend reported
 */
record Outcome(Kind kind, @Nullable HeldLock lock, @Nullable Throwable failure) {

	static final Outcome CONTENDED = new Outcome(Kind.CONTENDED, null, null);

	static final Outcome CROWDED = new Outcome(Kind.CROWDED, null, null);

	static final Outcome UNANSWERED = new Outcome(Kind.UNANSWERED, null, null);

	static final Outcome INTERRUPTED = new Outcome(Kind.INTERRUPTED, null, null);

	static final Outcome CLOSED = new Outcome(Kind.CLOSED, null, null);

	static Outcome acquired(HeldLock lock) {
		return new Outcome(Kind.ACQUIRED, lock, null);
	}

	static Outcome unavailable(Throwable failure) {
		return new Outcome(Kind.UNAVAILABLE, null, failure);
	}

	HeldLock requiredLock() {
		return Objects.requireNonNull(this.lock, "lock");
	}

	Throwable requiredFailure() {
		return Objects.requireNonNull(this.failure, "failure");
	}

	enum Kind {

		ACQUIRED, CONTENDED, CROWDED, UNAVAILABLE, UNANSWERED, INTERRUPTED, CLOSED

	}

}
