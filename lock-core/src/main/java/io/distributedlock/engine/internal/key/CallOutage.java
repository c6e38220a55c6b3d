package io.distributedlock.engine.internal.key;

import java.time.Duration;

import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.request.LockErrors;
import io.distributedlock.spi.support.LimitedLog;
import org.slf4j.LoggerFactory;

/**
 * The time since which the backend has failed for one call, without a good answer. It
 * matters for calls that wait without end: they end after the command time-out, or wait
 * on and say so in the log.
 */
final class CallOutage {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(CallOutage.class));

	private static final long WARN_EACH_NANOS = Duration.ofMinutes(1).toNanos();

	private final long sinceNanos;

	private volatile long warnAtNanos;

	/**
	 * Create an outage.
	 * @param sinceNanos when the backend failed for the first time
	 */
	CallOutage(long sinceNanos) {
		this.sinceNanos = sinceNanos;
		this.warnAtNanos = sinceNanos;
	}

	/**
	 * Return for how long it has lasted.
	 */
	long lasts(long nowNanos) {
		return nowNanos - this.sinceNanos;
	}

	/**
	 * Warn that calls wait through this outage, unless that was done within the minute.
	 */
	void warn(LockAttempt attempt, long nowNanos, Throwable failure) {
		if (this.warnAtNanos - nowNanos > 0) {
			return;
		}
		this.warnAtNanos = nowNanos + WARN_EACH_NANOS;
		warnings.warn(
				"Lock '{}' of provider {} is waited for through an outage: the provider has failed for {} s now: {}",
				attempt.key(), attempt.providerName(), Duration.ofNanos(lasts(nowNanos)).toSeconds(),
				LockErrors.describe(failure));
	}

}
