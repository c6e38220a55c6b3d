package io.distributedlock.engine.internal.handle;

import java.lang.ref.Cleaner;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Reports where handles were acquired that were never closed. It watches only a sample of
 * all handles, as a stack trace costs more than a lock. A place that leaks often is found
 * soon. The idea is that of the leak detector of
 * <a href= "https://netty.io/wiki/reference-counted-objects.html">Netty</a>.
 * <p>
 * Why: docs/decisions/014-abandoned-handles.md
 */
final class HandleLeaks {

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(HandleLeaks.class));

	/**
	 * One handle of so many is watched: 1 watches all, 0 none. With 128, the cost of a
	 * stack trace is spread over so many locks that it does not matter.
	 */
	private static final int INTERVAL = Integer.getInteger("io.distributedlock.leak-detection-interval", 128);

	/**
	 * Gets the key, and where the lock was acquired. Only a test changes it.
	 */
	static volatile BiConsumer<String, Throwable> reporter = HandleLeaks::log;

	private final Cleaner cleaner = Cleaner.create();

	/**
	 * Watch a handle if it is in the sample.
	 * @return what ends the watch when the handle is closed, {@code null} if the handle
	 * is not watched
	 */
	Cleaner.@Nullable Cleanable watch(SingleHandle handle) {
		if (INTERVAL == 0 || (INTERVAL > 1 && ThreadLocalRandom.current().nextInt(INTERVAL) != 0)) {
			return null;
		}
		return this.cleaner.register(handle,
				new Sample(handle.key(), handle.closed, new Throwable("The lock was acquired here")));
	}

	static void log(String key, Throwable acquired) {
		warnings.error(
				"A handle of lock '{}' was never closed, so the lock stayed until its lease ended. Close handles in a try-with-resources statement. The stack trace shows where the lock was acquired.",
				key, acquired);
	}

	/**
	 * A handle in the sample. Runs when the handle is closed, or was forgotten.
	 */
	private record Sample(String key, AtomicBoolean closed, Throwable acquired) implements Runnable {

		@Override
		public void run() {
			if (!this.closed.get()) {
				reporter.accept(this.key, this.acquired);
			}
		}

	}

}
