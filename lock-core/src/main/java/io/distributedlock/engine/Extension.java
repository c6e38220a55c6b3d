package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * More time for a lock that is held, on its holder's demand.
 */
final class Extension {

	private Extension() {
	}

	/**
	 * Extend a lease.
	 * @return completes within the command time-out, on the thread that brings the answer
	 */
	static CompletableFuture<@Nullable Void> of(HeldLock lock, Duration leaseTime) {
		try {
			requirePossible(lock, leaseTime);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		Duration wanted = LockTimes.wholeMillis(leaseTime);
		return send(lock, () -> wanted);
	}

	/**
	 * Extend a lease by a time that its provider can keep.
	 * @param leaseTime how long it shall run from when that is sent, in whole
	 * milliseconds
	 */
	static CompletableFuture<@Nullable Void> send(HeldLock lock, Supplier<Duration> leaseTime) {
		LockAttempt attempt = lock.attempt();
		// the answer to what was asked before is waited for within the same time
		CompletableFuture<@Nullable LeaseTerm> answer = lock.engine().questions().expect();
		lock.extend(leaseTime, answer).whenComplete((term, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(term);
			}
		});
		return answer.handle((term, failure) -> {
			if (failure != null) {
				throw LockErrors.notExtended(attempt, LockErrors.unwrap(failure));
			}
			if (term == null) {
				lock.engine().keeper().lose(lock, "the backend says that this owner no longer has it");
				throw LockErrors.lost(attempt, "it was gone when it was to be extended");
			}
			lock.engine().keeper().lookAgain(lock);
			return null;
		});
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
			throw LockErrors.leaseOutsideLimits(attempt, limits, wanted);
		}
		lock.ensureHeld();
	}

	/**
	 * Wait for an extension, which ends within the command time-out. An interrupt is
	 * noted and does not end it.
	 */
	static void await(Holding holding, CompletableFuture<@Nullable Void> extension, Exits exits) {
		Optional<Throwable> failure = exits
			.awaitUninterruptibly(extension.handle((done, failed) -> Optional.ofNullable(failed)));
		if (failure == null) {
			// the JVM stood still, and has not come to its timers yet
			LockAttempt attempt = holding.attempt();
			throw LockErrors.notExtended(attempt, new NoAnswerException(exits.commandTimeout()));
		}
		if (failure.isPresent()) {
			throw (LockErrors.unwrap(failure.get()) instanceof RuntimeException cause) ? cause
					: new CompletionException(failure.get());
		}
	}

	/**
	 * Make sure that a time is left of all locks of a handle, and ask for more where
	 * there is less.
	 */
	static void ensureAtLeast(Holding holding, Duration duration, Exits exits) {
		holding.ensureHeld();
		List<CompletableFuture<@Nullable Void>> extensions = new ArrayList<>();
		for (Holding each : holding.holdings()) {
			if (each.remaining().compareTo(duration) < 0) {
				extensions.add(each.startExtension(lengthFor(duration, each.attempt())));
			}
		}
		if (extensions.isEmpty()) {
			return;
		}
		await(holding, all(extensions), exits);
		for (Holding each : holding.holdings()) {
			if (each.remaining().compareTo(duration) < 0) {
				throw LockErrors.lost(each.attempt(), "only %s are left, and %s are needed"
					.formatted(LockTimes.text(each.remaining()), LockTimes.text(duration)));
			}
		}
	}

	static CompletableFuture<@Nullable Void> all(List<CompletableFuture<@Nullable Void>> extensions) {
		return CompletableFuture.allOf(extensions.toArray(CompletableFuture<?>[]::new))
			.<@Nullable Void>thenApply((done) -> null);
	}

	/**
	 * Return for how long to ask so that a time is left by the local deadline, which lies
	 * before the end of the lease.
	 */
	private static Duration lengthFor(Duration duration, LockAttempt attempt) {
		Duration wanted = LockTimes.saturated(duration);
		Duration withMargin = wanted.plus(wanted.dividedBy(50)).plusMillis(20);
		// a lease that is kept alive is not made shorter by asking for a little more
		boolean shorter = attempt.renewed() && withMargin.compareTo(attempt.leaseTime()) < 0;
		return shorter ? attempt.leaseTime() : withMargin;
	}

}
