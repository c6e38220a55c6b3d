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
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Extends a lock that is held, on its holder's demand.
 * <p>
 * Why: docs/decisions/010-open-requests.md
 */
final class Extension {

	/**
	 * A fiftieth: twice the margin that {@link LeaseTerm} allows for clocks of different
	 * speed.
	 */
	private static final int MARGIN_FRACTION = 50;

	/**
	 * For the precision of expiry, and for the time that the request takes.
	 */
	private static final int MARGIN_MILLIS = 20;

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
	 * @param leaseTime how long the lease is to run from the moment at which the request
	 * is sent, in whole milliseconds; asked at that moment
	 */
	static CompletableFuture<@Nullable Void> send(HeldLock lock, Supplier<Duration> leaseTime) {
		LockAttempt attempt = lock.attempt();
		// one command time-out for both: the answers to earlier requests, and this one
		CompletableFuture<@Nullable LeaseTerm> answer = lock.engine().questions().expect();
		lock.requests().extend(() -> request(lock, leaseTime, answer)).whenComplete((term, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(term);
			}
		});
		return answer.handle((term, failure) -> {
			if (failure != null) {
				throw LockErrors.notExtended(attempt, Failures.unwrap(failure));
			}
			if (term == null) {
				lock.engine().keeper().lose(lock, "the backend says that this owner no longer has it");
				throw LockErrors.lost(attempt, "the backend no longer had it when it was to be extended");
			}
			lock.engine().keeper().lookAgain(lock);
			return null;
		});
	}

	/**
	 * Ask the backend for another term.
	 * @param wanted completes when nobody waits for the term any more, which is then not
	 * asked for
	 */
	private static CompletableFuture<@Nullable LeaseTerm> request(HeldLock lock, Supplier<Duration> length,
			CompletableFuture<?> wanted) {
		Engine engine = lock.engine();
		if (wanted.isDone() || !lock.isValid()) {
			return CompletableFuture.failedFuture(new NoAnswerException(engine.commandTimeout()));
		}
		Duration leaseTime = length.get();
		OpenRequests.Request sent = lock.clock().extensionSent(engine.nanoTime(), leaseTime);
		engine.keeper().lookAgain(lock);
		CompletableFuture<@Nullable LeaseTerm> answer = engine.questions().expect();
		CompletableFuture<@Nullable LeaseTerm> extension = answer
			.<@Nullable LeaseTerm>thenApply((term) -> onAnswer(lock, term, leaseTime, sent));
		engine.questions()
			.follow(answer, () -> lock.lease().renew(leaseTime.plus(lock.attempt().lockDelay())),
					(late) -> onAnswer(lock, late, leaseTime, sent));
		return extension;
	}

	private static @Nullable LeaseTerm onAnswer(HeldLock lock, @Nullable LeaseTerm term, Duration leaseTime,
			OpenRequests.Request sent) {
		if (term != null) {
			lock.clock().extended(term, leaseTime, lock.engine().nanoTime(), sent);
		}
		lock.engine().keeper().lookAgain(lock);
		return term;
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

	/**
	 * Wait for an extension, which ends within the command time-out. An interrupt does
	 * not end the wait; the thread is interrupted again after it.
	 */
	static void await(EngineHandle handle, CompletableFuture<@Nullable Void> extension, Exits exits) {
		Optional<Throwable> failure = exits
			.awaitUninterruptibly(extension.handle((done, failed) -> Optional.ofNullable(failed)));
		if (failure == null) {
			// the JVM was paused, and its timers have not run yet
			LockAttempt attempt = handle.attempt();
			throw LockErrors.notExtended(attempt, new NoAnswerException(exits.commandTimeout()));
		}
		if (failure.isPresent()) {
			throw (Failures.unwrap(failure.get()) instanceof RuntimeException cause) ? cause
					: new CompletionException(failure.get());
		}
	}

	/**
	 * Make sure that a time is left for all locks of a handle, and extend those with
	 * less.
	 */
	static void ensureAtLeast(EngineHandle handle, Duration duration, Exits exits) {
		handle.ensureHeld();
		List<CompletableFuture<@Nullable Void>> extensions = new ArrayList<>();
		for (EngineHandle each : handle.handles()) {
			if (each.remaining().compareTo(duration) < 0) {
				extensions.add(each.startExtension(lengthFor(duration, each.lengthToKeep())));
			}
		}
		if (extensions.isEmpty()) {
			return;
		}
		await(handle, all(extensions), exits);
		for (EngineHandle each : handle.handles()) {
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
	 * Return which lease time to ask for, so that a time is left until the local
	 * deadline, which is earlier than the end of the lease.
	 * @param least with which the lease becomes no shorter than it would be without the
	 * request: an auto-renewed lease than its usual length, and one that the owner has
	 * yet to confirm than the caller asked for
	 */
	private static Duration lengthFor(Duration duration, Duration least) {
		Duration wanted = LockTimes.saturated(duration);
		Duration withMargin = wanted.plus(wanted.dividedBy(MARGIN_FRACTION)).plusMillis(MARGIN_MILLIS);
		return (withMargin.compareTo(least) < 0) ? least : withMargin;
	}

}
