package io.distributedlock.engine.internal.handle;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds handles that were never closed, and reports where they were acquired. It watches
 * only a sample of all handles, as a stack trace costs more than a lock. A place that
 * leaks often is found soon. The idea is that of the leak detector of
 * <a href= "https://netty.io/wiki/reference-counted-objects.html">Netty</a>.
 * <p>
 * Why: docs/decisions/014-abandoned-handles.md
 */
final class HandleLeaks {

	private static final Logger logger = LoggerFactory.getLogger(HandleLeaks.class);

	/**
	 * One handle of so many is watched: 1 watches all, 0 none. With 128, the cost of a
	 * stack trace is spread over so many locks that it does not matter.
	 */
	private static final int INTERVAL = Integer.getInteger("io.distributedlock.leak-detection-interval", 128);

	private static final ReferenceQueue<SingleHandle> UNREACHABLE = new ReferenceQueue<>();

	private static final Set<Sample> OPEN = ConcurrentHashMap.newKeySet();

	private HandleLeaks() {
	}

	/**
	 * Watch a handle if it is in the sample.
	 * @return a sample to close together with the handle, {@code null} if the handle is
	 * not watched
	 */
	static @Nullable Sample watch(SingleHandle handle) {
		if (INTERVAL == 0 || (INTERVAL > 1 && ThreadLocalRandom.current().nextInt(INTERVAL) != 0)) {
			return null;
		}
		report();
		Sample sample = new Sample(handle);
		OPEN.add(sample);
		return sample;
	}

	/**
	 * Report the handles that were found since the last report.
	 * @return how many there were
	 */
	static int report() {
		return report((key, acquired) -> logger.error(
				"A handle of lock '{}' was never closed, so the lock stayed until its lease ended. Close handles in a try-with-resources statement. The stack trace shows where the lock was acquired.",
				key, acquired));
	}

	/**
	 * As {@link #report()}, but not to the log.
	 * @param reporter gets the key, and where the lock was acquired
	 */
	static int report(BiConsumer<String, Throwable> reporter) {
		int found = 0;
		for (Reference<? extends SingleHandle> next = UNREACHABLE.poll(); next != null; next = UNREACHABLE.poll()) {
			if (next instanceof Sample sample && OPEN.remove(sample) && !sample.closed.get()) {
				found++;
				reporter.accept(sample.key, sample.acquired);
			}
		}
		return found;
	}

	/**
	 * A handle in the sample.
	 */
	static final class Sample extends WeakReference<SingleHandle> {

		private final String key;

		/**
		 * A handle that was never opened counts as closed, although nobody closes this.
		 */
		private final AtomicBoolean closed;

		private final Throwable acquired = new Throwable("The lock was acquired here");

		private Sample(SingleHandle handle) {
			super(handle, UNREACHABLE);
			this.key = handle.key();
			this.closed = handle.closed;
		}

		void close() {
			OPEN.remove(this);
			clear();
		}

	}

}
