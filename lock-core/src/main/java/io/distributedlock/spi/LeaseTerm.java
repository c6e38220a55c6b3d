package io.distributedlock.spi;

import java.time.Duration;

/**
 * When a lease began and how long it runs, on this JVM's monotonic clock. The term starts
 * when the request was <em>sent</em>, and its local deadline is earlier than the
 * backend's own expiry by a margin. So the deadline always passes before another owner
 * can get the lock. The margin is that of the Redlock algorithm (<a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed
 * Locks with Redis</a>): one percent of the lease because clocks run at different speed,
 * and two milliseconds because expiry is not exact; of a very short lease a fifth at
 * most.
 * <p>
 * Why: docs/decisions/009-lease-and-term.md
 *
 * @param startNanos the {@link System#nanoTime()} from before the request was sent
 * @param granted the length that the backend granted, which may differ from the requested
 * one
 * @since 0.1
 */
public record LeaseTerm(long startNanos, Duration granted) {

	private static final long PRECISION_NANOS = 2_000_000;

	/**
	 * Return the local deadline: from this instant the holder must not rely on the lock.
	 * @return the instant on the scale of {@link System#nanoTime()}
	 */
	public long deadlineNanos() {
		long length = this.granted.toNanos();
		return this.startNanos + length - Math.min(length / 100 + PRECISION_NANOS, length / 5);
	}

}
