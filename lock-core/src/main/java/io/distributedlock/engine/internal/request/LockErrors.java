package io.distributedlock.engine.internal.request;

import java.time.Duration;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.NoAnswerException;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;

/**
 * Makes the exceptions of the engine. Each message says what failed, for which key and
 * provider, and what to do.
 * <p>
 * Why: docs/decisions/001-asynchronous-engine.md
 */
public final class LockErrors {

	private LockErrors() {
	}

	/**
	 * Return why a call did not acquire its lock. Contention is an ordinary answer and
	 * may come often: its text is not formatted, as a pattern would be read each time.
	 */
	public static LockNotAcquiredException notAcquired(LockAttempt attempt, Reason reason) {
		String what = switch (reason) {
			case CONTENDED -> "another owner held it "
					+ (attempt.waitTime().isZero() ? "at the only attempt"
							: "within the wait time of " + LockTimes.text(attempt.waitTime()))
					+ ". Wait longer, hold it for less time, or skip the work";
			case CROWDED -> attempt.maxWaiters()
					+ " calls of this JVM wait for it already, which is the limit. Try again later, or allow more waiters";
			case INTERRUPTED -> "the wait was interrupted. Nothing is held";
			case CLOSED -> "the lock template takes no more calls, as the application shuts down";
			case NO_THREAD -> "no thread of the executor began its work within the wait time of "
					+ LockTimes.text(attempt.waitTime())
					+ " and one command time-out, so it was released. Set lock.executor.threads, or do not wait for futures on the threads of this executor";
		};
		return new LockNotAcquiredException(attempt.key(), attempt.providerName(), reason, attempt.waitTime(), "Lock '"
				+ attempt.key() + "' of provider " + attempt.providerName() + " was not acquired: " + what + ".", null);
	}

	public static LockUnavailableException unavailable(LockAttempt attempt, Throwable cause) {
		if (cause instanceof NoAnswerException noAnswer) {
			return new LockUnavailableException(attempt.key(), attempt.providerName(),
					"Lock '%s' could not be acquired: provider %s gave no answer within the command time-out of %s. The work was not run. Check that the backend runs and that this node can reach it."
						.formatted(attempt.key(), attempt.providerName(), LockTimes.text(noAnswer.commandTimeout())),
					null);
		}
		return new LockUnavailableException(attempt.key(), attempt.providerName(),
				"Lock '%s' could not be acquired: provider %s failed: %s. The work was not run."
					.formatted(attempt.key(), attempt.providerName(), describe(cause)),
				cause);
	}

	public static LockUnavailableException notExtended(LockAttempt attempt, Throwable cause) {
		return new LockUnavailableException(attempt.key(), attempt.providerName(),
				"Lock '%s' could not be extended: provider %s failed: %s. The lock ends when it would have ended without the extension."
					.formatted(attempt.key(), attempt.providerName(), describe(cause)),
				cause);
	}

	/**
	 * Return why a lease that was granted cannot be used.
	 */
	public static BackendException noTimeLeft(LockAttempt attempt, Lease lease) {
		if (attempt.usable(lease.term()).granted().isNegative()) {
			return new BackendException(
					"it grants a lease of %s, which is shorter than the lock delay of %s: shorten lock.lock-delay"
						.formatted(LockTimes.text(lease.term().granted()), LockTimes.text(attempt.lockDelay())),
					false, null);
		}
		return new BackendException("the answer came after the lease had ended", true, null);
	}

	public static IllegalStateException upgrade(LockAttempt attempt) {
		return new IllegalStateException(
				"Lock '%s' is held for READ, and the same caller asks for %s: it would wait for itself forever. Release the read lock first, or acquire the lock as WRITE from the beginning."
					.formatted(attempt.key(), attempt.type()));
	}

	public static LockUnavailableException releaseFailed(LockAttempt attempt, Throwable cause) {
		return new LockUnavailableException(attempt.key(), attempt.providerName(),
				"Lock '%s' could not be released: provider %s failed: %s. It expires by itself within its lease of %s."
					.formatted(attempt.key(), attempt.providerName(), describe(cause),
							LockTimes.text(attempt.leaseTime())),
				cause);
	}

	public static LockLostException lost(LockAttempt attempt, String reason) {
		return new LockLostException(attempt.key(), attempt.providerName(),
				"Lock '%s' of provider %s is no longer held: %s. Another owner may hold it now: stop the work, or protect what it writes with the fencing token."
					.formatted(attempt.key(), attempt.providerName(), reason),
				null);
	}

	public static InvalidLockRequestException leaseOutsideLimits(LockAttempt attempt, LeaseLimits limits,
			Duration lease) {
		return new InvalidLockRequestException(
				"Lock '%s': provider %s keeps leases from %s to %s, and cannot keep one of %s.".formatted(attempt.key(),
						attempt.providerName(), LockTimes.text(limits.shortest()), LockTimes.text(limits.longest()),
						LockTimes.text(lease)),
				"Set another lease time, or choose another provider.");
	}

	/**
	 * Return the message of a failure, or its class if it has none, or cannot tell it.
	 */
	public static String describe(Throwable cause) {
		String message = null;
		try {
			message = cause.getMessage();
		}
		catch (Throwable ex) {
			// the exception says more about itself by its class than by this
		}
		return (message != null) ? message : cause.getClass().getSimpleName();
	}

}
