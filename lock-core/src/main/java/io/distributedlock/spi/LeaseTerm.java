package io.distributedlock.spi;

import java.time.Duration;

/**
 * How long a lease runs, on this JVM's monotonic clock. The term starts when the request
 * was <em>sent</em>, and ends a margin before the backend's own expiry, so that its end
 * is never later than the instant at which another owner can have the lock. The margin is
 * that of the Redlock algorithm (<a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>): one percent of the lease for clocks that run at different speed,
 * and two milliseconds for the precision of expiry; for leases shorter than ten
 * milliseconds a fifth of the lease.
 *
 * @param startNanos the {@link System#nanoTime()} from before the request was sent
 * @param granted the length that the backend granted, which may differ from the one asked
 * for
 * @since 0.1
 */
public record LeaseTerm(long startNanos, Duration granted) {

	private static final long PRECISION_NANOS = 2_000_000;

	/**
	 * Return the local deadline: from then on the holder must not rely on the lock.
	 * @return the instant on the scale of {@link System#nanoTime()}
	 */
	public long deadlineNanos() {
		long length = this.granted.toNanos();
		return this.startNanos + length - Math.min(length / 100 + PRECISION_NANOS, length / 5);
	}

}
