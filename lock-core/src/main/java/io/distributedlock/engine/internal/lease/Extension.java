package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.ProviderCalls;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Extends locks that are held, on their holders' demand.
 * <p>
 * Why: docs/decisions/010-open-requests.md
 *
 * @param runtime tells the time
 * @param providerCalls asks the providers
 * @param keeper watches the new deadlines
 */
public record Extension(EngineRuntime runtime, ProviderCalls providerCalls, LeaseKeeper keeper) {

	/**
	 * Extend a lease.
	 * @return completes within the command time-out, on the thread that brings the answer
	 */
	public CompletableFuture<@Nullable Void> of(HeldLock lock, Duration leaseTime) {
		try {
			requirePossible(lock, leaseTime);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		Duration wanted = LockTimes.wholeMillis(leaseTime);
		// one command time-out for both: the answers to earlier requests, and this one
		CompletableFuture<@Nullable LeaseTerm> answer = this.providerCalls.expect();
		lock.requests()
			.extend(() -> request(lock, wanted, answer), this.runtime::execute)
			.whenComplete(Failures.settling(answer));
		return answer.handle((term, failure) -> {
			// it may have ended meanwhile, whatever became of the request
			lock.ensureHeld();
			if (failure != null) {
				throw LockErrors.notExtended(lock.attempt(), Failures.unwrap(failure));
			}
			return null;
		});
	}

	/**
	 * Ask the backend for another term, which ends no earlier than the lease would
	 * without it.
	 * @param wanted completes when nobody waits for the term any more, which is then not
	 * asked for
	 */
	private CompletableFuture<@Nullable LeaseTerm> request(HeldLock lock, Duration least, CompletableFuture<?> wanted) {
		if (wanted.isDone() || !lock.isValid()) {
			return CompletableFuture.failedFuture(this.providerCalls.noAnswer());
		}
		LeaseClock clock = lock.clock();
		long now = this.runtime.nanoTime();
		Duration kept = clock.lengthToKeep(now);
		Duration leaseTime = (kept.compareTo(least) > 0) ? kept : least;
		LeaseClock.Request sent = clock.sent(now, leaseTime);
		CompletableFuture<@Nullable LeaseTerm> answer = this.providerCalls.expect();
		CompletableFuture<@Nullable LeaseTerm> extension = answer
			.whenComplete((term, failure) -> onAnswer(lock, term, failure, sent));
		this.providerCalls.follow(answer, () -> lock.lease().renew(leaseTime.plus(lock.attempt().lockDelay())),
				(late) -> onAnswer(lock, late, null, sent));
		return extension;
	}

	private void onAnswer(HeldLock lock, @Nullable LeaseTerm term, @Nullable Throwable failure,
			LeaseClock.Request sent) {
		if (failure != null) {
			lock.clock().unanswered(sent, this.runtime.nanoTime());
		}
		else if (term != null) {
			lock.clock().extended(term, this.runtime.nanoTime(), sent);
		}
		else {
			this.keeper.lose(lock, "the backend says that this owner no longer has it");
		}
		this.keeper.lookAgain(lock);
	}

	private static void requirePossible(HeldLock lock, Duration leaseTime) {
		LockAttempt attempt = lock.attempt();
		if (leaseTime.isNegative() || leaseTime.isZero()) {
			throw new IllegalArgumentException(
					"Lock '%s' cannot be extended by %s: give a positive time".formatted(attempt.key(), leaseTime));
		}
		Duration wanted = LockTimes.wholeMillis(leaseTime);
		LeaseLimits limits = attempt.provider().leaseLimits();
		if (!limits.allow(wanted.plus(attempt.lockDelay()))) {
			throw LockErrors.leaseOutsideLimits(attempt, limits, wanted.plus(attempt.lockDelay()));
		}
		lock.ensureHeld();
	}

}
