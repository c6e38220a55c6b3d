package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * More time for a lock that is held, on its holder's demand.
 */
final class Extension {

	private Extension() {
	}

	static CompletableFuture<@Nullable Void> of(HeldLock lock, Duration leaseTime) {
		LockAttempt attempt = lock.attempt();
		if (leaseTime.isNegative() || leaseTime.isZero()) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot be extended by %s: give a positive time".formatted(attempt.key(), leaseTime));
		}
		Duration wanted = LockTimes.wholeMillis(leaseTime);
		LeaseLimits limits = attempt.provider().leaseLimits();
		if (!limits.allow(wanted.plus(attempt.lockDelay()))) {
			throw LockErrors.leaseOutsideLimits(attempt, limits, wanted);
		}
		lock.ensureHeld();
		CompletableFuture<@Nullable LeaseTerm> answer = lock.extend(wanted).copy();
		lock.engine().bound(answer);
		return answer.handle((term, failure) -> {
			if (failure != null) {
				throw LockErrors.notExtended(attempt, LockErrors.unwrap(failure));
			}
			if (term == null) {
				lock.engine().keeper().lose(lock, "the backend says that this owner no longer has it");
				throw LockErrors.lost(attempt, "it was gone when it was to be extended");
			}
			lock.engine().keeper().lookAgain();
			return null;
		});
	}

	/**
	 * Wait for an extension, which ends within the command time-out. An interrupt is
	 * noted and does not end it.
	 */
	static void await(CompletableFuture<@Nullable Void> extension) {
		try {
			extension.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	/**
	 * Return for how long to ask so that a time is left by the local deadline, which lies
	 * before the end of the lease.
	 */
	static Duration lengthFor(Duration duration, LockAttempt attempt) {
		Duration withMargin = duration.plus(duration.dividedBy(50)).plusMillis(20);
		// a lease that is kept alive is not made shorter by asking for a little more
		boolean shorter = attempt.renewed() && withMargin.compareTo(attempt.leaseTime()) < 0;
		return shorter ? attempt.leaseTime() : withMargin;
	}

}
