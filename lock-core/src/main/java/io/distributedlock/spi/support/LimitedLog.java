package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Writes warnings of one kind, and not more of them than a person reads: the first ten of
 * a minute. The tenth says that others are left out, and the first one after that minute
 * says how many. For a warning that one cause may repeat for each key, such as an outage.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class LimitedLog {

	private static final int LINES = 10;

	private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

	private final Logger logger;

	private final LongSupplier nanoTime;

	private final ReentrantLock counting = new ReentrantLock();

	private long windowStart;

	private long seen;

	/**
	 * Create a log for warnings of one kind.
	 * @param logger writes them
	 */
	public LimitedLog(Logger logger) {
		this(logger, System::nanoTime);
	}

	LimitedLog(Logger logger, LongSupplier nanoTime) {
		this.logger = logger;
		this.nanoTime = nanoTime;
		this.windowStart = nanoTime.getAsLong() - WINDOW_NANOS;
	}

	/**
	 * Write a warning, unless there were too many of them.
	 * @param format the message, as for {@link Logger#warn(String, Object...)}
	 * @param arguments its arguments, the last one may be an exception
	 */
	public void warn(String format, @Nullable Object... arguments) {
		if (!this.logger.isWarnEnabled()) {
			return;
		}
		long number;
		long leftOut = 0;
		this.counting.lock();
		try {
			long now = this.nanoTime.getAsLong();
			if (now - this.windowStart >= WINDOW_NANOS) {
				leftOut = Math.max(0, this.seen - LINES);
				this.windowStart = now;
				this.seen = 0;
			}
			this.seen++;
			number = this.seen;
		}
		finally {
			this.counting.unlock();
		}
		if (leftOut > 0) {
			this.logger.warn(leftOut + " warnings like the next one were left out. " + format, arguments);
		}
		else if (number < LINES) {
			this.logger.warn(format, arguments);
		}
		else if (number == LINES) {
			this.logger.warn(format + " Further warnings like this one are left out for up to a minute.", arguments);
		}
	}

}
