package io.distributedlock.engine.internal.key;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.Guard;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * What a call needs between two attempts: the time of the next one, the end of its wait,
 * and the signal of a release. A call that gets its lock at once needs none of it.
 * Thread-safe.
 */
public final class AttemptTimers {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(AttemptTimers.class));

	/**
	 * The first pause between two attempts where the backend has no signal. The pauses
	 * grow to the poll interval.
	 */
	static final long FIRST_DELAY_NANOS = 20_000_000;

	private static final AtomicReferenceFieldUpdater<AttemptTimers, Timers.Timer> ASK_TIMER = AtomicReferenceFieldUpdater
		.newUpdater(AttemptTimers.class, Timers.Timer.class, "askTimer");

	private static final AtomicReferenceFieldUpdater<AttemptTimers, Timers.Timer> WAIT_TIMER = AtomicReferenceFieldUpdater
		.newUpdater(AttemptTimers.class, Timers.Timer.class, "waitTimer");

	private static final AtomicReferenceFieldUpdater<AttemptTimers, ReleaseSignal.@Nullable Subscription> SUBSCRIPTION = AtomicReferenceFieldUpdater
		.newUpdater(AttemptTimers.class, ReleaseSignal.Subscription.class, "subscription");

	private final Timers timers;

	private final CallUnderWay call;

	@SuppressWarnings("UnusedVariable")
	private volatile Timers.Timer askTimer = Timers.Timer.NONE;

	@SuppressWarnings("UnusedVariable")
	private volatile Timers.Timer waitTimer = Timers.Timer.NONE;

	private volatile ReleaseSignal.@Nullable Subscription subscription;

	private long delayNanos = FIRST_DELAY_NANOS;

	/**
	 * Create timers that are not set.
	 * @param call ends if a step throws, since nobody else hears of it
	 */
	AttemptTimers(Timers timers, CallUnderWay call) {
		this.timers = timers;
		this.call = call;
	}

	/**
	 * Make the next attempt at a time.
	 */
	void askAt(long atNanos, Runnable step) {
		set(ASK_TIMER, atNanos, step);
	}

	/**
	 * The next attempt begins, so no timer need begin it.
	 */
	void endPause() {
		cancel(ASK_TIMER);
	}

	/**
	 * Look at a time whether the call still waits.
	 */
	void lookAt(long atNanos, Runnable step) {
		set(WAIT_TIMER, atNanos, step);
	}

	/**
	 * The call waits no longer for what it was to look for.
	 */
	void endLook() {
		cancel(WAIT_TIMER);
	}

	/**
	 * Return how long to wait for the next attempt without a signal.
	 * @param longestNanos the longest pause
	 */
	long nextDelayNanos(long longestNanos) {
		long delay = Math.min(this.delayNanos, longestNanos);
		this.delayNanos = delay * 3 / 2;
		return delay;
	}

	/**
	 * Listen to the releases of a lock, unless this was done already.
	 * @return whether releases are heard
	 */
	boolean listen(LockAttempt attempt, Runnable onSignal) {
		if (!(attempt.provider() instanceof ReleaseSignal signal)) {
			return false;
		}
		if (this.subscription == null) {
			try {
				this.subscription = signal.listen(attempt.key(), onSignal);
			}
			catch (Throwable ex) {
				Failures.log(warnings::warn,
						"There is no signal for releases of lock '{}'; the backend is asked at intervals",
						attempt.key(), ex);
			}
			if (this.call.isOver()) {
				stopListening();
			}
		}
		return this.subscription != null;
	}

	/**
	 * Cancel the timers of a call that is over. What another thread sets just now, that
	 * thread cancels.
	 */
	void end() {
		cancel(WAIT_TIMER);
		cancel(ASK_TIMER);
	}

	/**
	 * Stop listening. That calls the provider, which may fail or block.
	 */
	void stopListening() {
		ReleaseSignal.Subscription current = SUBSCRIPTION.getAndSet(this, null);
		if (current != null) {
			Guard.run("the end of a subscription", current::close);
		}
	}

	private void set(AtomicReferenceFieldUpdater<AttemptTimers, Timers.Timer> field, long atNanos, Runnable step) {
		this.timers.stepAt(field, this, atNanos, () -> run(step));
		if (this.call.isOver()) {
			cancel(field);
		}
	}

	private void run(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.call.end(AcquisitionOutcome.unavailable(ex));
		}
	}

	private void cancel(AtomicReferenceFieldUpdater<AttemptTimers, Timers.Timer> field) {
		field.getAndSet(this, Timers.Timer.NONE).cancel();
	}

}
