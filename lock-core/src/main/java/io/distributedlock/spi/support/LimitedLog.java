package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
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

	private final AtomicReference<Window> window;

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
		this.window = new AtomicReference<>(new Window(nanoTime.getAsLong() - WINDOW_NANOS, 0, 0));
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
		long now = this.nanoTime.getAsLong();
		Window current = this.window.updateAndGet((before) -> before.withWarning(now));
		if (current.seen == 1 && current.leftOut > 0) {
			this.logger.warn(current.leftOut + " warnings like the next one were left out. " + format, arguments);
		}
		else if (current.seen < LINES) {
			this.logger.warn(format, arguments);
		}
		else if (current.seen == LINES) {
			this.logger.warn(format + " Further warnings like this one are left out for up to a minute.", arguments);
		}
	}

	/**
	 * The warnings of a minute.
	 *
	 * @param leftOut how many of the minute before were not written
	 */
	private record Window(long start, long seen, long leftOut) {

		private Window withWarning(long now) {
			return (now - this.start < WINDOW_NANOS) ? new Window(this.start, this.seen + 1, this.leftOut)
					: new Window(now, 1, Math.max(0, this.seen - LINES));
		}

	}

}
