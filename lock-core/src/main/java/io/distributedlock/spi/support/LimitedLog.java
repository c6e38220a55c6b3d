package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Writes warnings, and of each kind not more than a person reads: the first ten of a
 * minute. The tenth says that others are left out, and the first one after that minute
 * says how many. Warnings of one format are of one kind. For whatever one cause may
 * repeat for each key or each call, such as an outage, or a provider or a callback that
 * fails each time. Thread-safe.
 *
 * @since 0.1
 */
public final class LimitedLog {

	private static final int LINES = 10;

	private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

	private final Logger logger;

	private final LongSupplier nanoTime;

	/**
	 * By the format, of which there are few.
	 */
	private final Map<String, Window> windows = new ConcurrentHashMap<>();

	/**
	 * Create a log that has written nothing yet.
	 * @param logger writes them
	 */
	public LimitedLog(Logger logger) {
		this(logger, System::nanoTime);
	}

	LimitedLog(Logger logger, LongSupplier nanoTime) {
		this.logger = logger;
		this.nanoTime = nanoTime;
	}

	/**
	 * Write a warning, unless there were too many of them.
	 * @param format the message, as for {@link Logger#warn(String, Object...)}
	 * @param arguments its arguments, the last one may be an exception
	 */
	public void warn(String format, @Nullable Object... arguments) {
		if (this.logger.isWarnEnabled()) {
			write((text, values) -> this.logger.warn(text, values), format, arguments);
		}
	}

	/**
	 * Write a warning at the level ERROR, unless there were too many of them.
	 * @param format the message, as for {@link Logger#error(String, Object...)}
	 * @param arguments its arguments, the last one may be an exception
	 */
	public void error(String format, @Nullable Object... arguments) {
		if (this.logger.isErrorEnabled()) {
			write((text, values) -> this.logger.error(text, values), format, arguments);
		}
	}

	private void write(BiConsumer<String, @Nullable Object[]> log, String format, @Nullable Object[] arguments) {
		long now = this.nanoTime.getAsLong();
		Window current = this.windows.compute(format,
				(kind, before) -> (before != null) ? before.withWarning(now) : new Window(now, 1, 0));
		if (current.seen == 1 && current.leftOut > 0) {
			log.accept(current.leftOut + " warnings like the next one were left out. " + format, arguments);
		}
		else if (current.seen < LINES) {
			log.accept(format, arguments);
		}
		else if (current.seen == LINES) {
			log.accept(format + " Further warnings like this one are left out for up to a minute.", arguments);
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
