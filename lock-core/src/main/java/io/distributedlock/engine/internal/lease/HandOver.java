package io.distributedlock.engine.internal.lease;

import java.time.Duration;

import io.distributedlock.LockType;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.Trampoline;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Passes a lock from caller to caller of this JVM without the backend: the lease stays,
 * and the next call in line goes in. While others wait at the backend, only for a short
 * time.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 *
 * @param runtime tells the time
 * @param window for how long the callers of this JVM may have a lock one after the other
 * while others wait at the backend; zero to pass nothing on; {@code null} for what fits
 * the provider
 * @param limit how many of them may
 * @param othersPoll whether others may wait of whom the backend knows nothing
 */
public record HandOver(EngineRuntime runtime, @Nullable Duration window, int limit, boolean othersPoll) {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(HandOver.class));

	private static final long LEAST_WINDOW_NANOS = 3_000_000;

	/**
	 * Pass a lock on, if there is a caller that may have it.
	 * @param lock the lock, which its holder has left and which was not lost
	 * @param onPassed called before the next caller takes the lock over
	 * @return {@code false} if it is to be released
	 */
	boolean pass(HeldLock lock, Runnable onPassed) {
		Successor next = next(lock);
		if (next == null) {
			return false;
		}
		Guard.run("telling of a hand-over", onPassed);
		try {
			Trampoline.run(() -> next.takeOver(lock));
		}
		catch (Throwable ex) {
			// there was no memory to queue it; from here on only the next caller can
			// release the lock
			next.takeOver(lock);
		}
		return true;
	}

	private @Nullable Successor next(HeldLock lock) {
		try {
			return isAllowed(lock) ? lock.passage().passOn(lock) : null;
		}
		catch (Throwable ex) {
			Failures.log(warnings::warn,
					"Lock '{}' of provider {} is released by itself, since looking for the next caller failed",
					lock.key(), lock.attempt().providerName(), ex);
			return null;
		}
	}

	private boolean isAllowed(HeldLock lock) {
		// no request may be under way: the next holder could not tell what it does to the
		// term
		long windowNanos = windowNanos(lock.provider());
		if (windowNanos == 0 || lock.attempt().type() != LockType.EXCLUSIVE || lock.remainingMinimumNanos() > 0
				|| !lock.requests().isIdle() || !lock.clock().isSettled(this.runtime.nanoTime())) {
			return false;
		}
		int holders = lock.index() + 1;
		if (lock.fencingToken().isPresent() && holders >= lock.lease().fencingTokens()) {
			return false;
		}
		return (!this.othersPoll && !lock.lease().isAwaited())
				|| (holders < this.limit && this.runtime.nanoTime() - lock.succession().beganNanos() < windowNanos);
	}

	/**
	 * Return for how long callers of this JVM may have a lock. Unless that is configured,
	 * a third of the time goes into hand-overs to other JVMs at most, however slow they
	 * are.
	 */
	private long windowNanos(LockProvider provider) {
		if (this.window != null) {
			return LockTimes.saturatedNanos(this.window);
		}
		return Math.max(LEAST_WINDOW_NANOS, 2 * LockTimes.saturatedNanos(provider.handOverTime()));
	}

	/**
	 * Return whether a lock has the term that an attempt may rely on: half of what it
	 * asks for, or half of a grant that was not renewed yet; its minimum hold time, which
	 * is to be kept even if this JVM ends; and no more than it asks for, since it must
	 * not keep others out for longer.
	 * @param lock the lock, of which {@link #pass} has found that it may be passed on
	 * @param attempt the attempt
	 * @param now the time
	 */
	public static boolean fits(HeldLock lock, LockAttempt attempt, long now) {
		LockAttempt before = lock.attempt();
		if (attempt.type() != LockType.EXCLUSIVE || !attempt.isFor(before.provider())
				|| !attempt.lockDelay().equals(before.lockDelay())) {
			return false;
		}
		LeaseTerm term = lock.clock().term();
		long wanted = attempt.leaseTime().toNanos();
		long left = term.deadlineNanos() - now;
		long leftOnBackend = term.startNanos() + term.granted().toNanos() - now;
		long enough = (lock.succession().isUnconfirmedGrant(term) ? term.granted().toNanos() : wanted) / 2;
		return left > 0 && left >= enough && leftOnBackend <= wanted
				&& leftOnBackend >= LockTimes.saturatedNanos(attempt.holdAtLeast());
	}

}
