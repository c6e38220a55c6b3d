package io.distributedlock.engine;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds handles that were never closed, and says where they were acquired. Only a sample
 * of all handles is watched, as a stack trace costs more than a lock; so one that leaks
 * often is found soon. After the leak detector of
 * <a href= "https://netty.io/wiki/reference-counted-objects.html">Netty</a>.
 */
final class HandleLeaks {

	private static final Logger logger = LoggerFactory.getLogger(HandleLeaks.class);

	/**
	 * One handle of so many is watched; 1 for all of them, 0 for none.
	 */
	private static final int INTERVAL = Integer.getInteger("io.distributedlock.leak-detection-interval", 128);

	private static final ReferenceQueue<Handle> UNREACHABLE = new ReferenceQueue<>();

	private static final Set<Sample> OPEN = ConcurrentHashMap.newKeySet();

	private HandleLeaks() {
	}

	/**
	 * Watch a handle, perhaps.
	 * @return to be closed with the handle, {@code null} if it is not watched
	 */
	static @Nullable Sample watch(Handle handle) {
		if (INTERVAL == 0 || (INTERVAL > 1 && ThreadLocalRandom.current().nextInt(INTERVAL) != 0)) {
			return null;
		}
		report();
		Sample sample = new Sample(handle);
		OPEN.add(sample);
		return sample;
	}

	/**
	 * Report those that were found since the last time.
	 * @return how many there were
	 */
	static int report() {
		return report((key, acquired) -> logger.error(
				"A handle of lock '{}' was never closed: the lock stayed until its lease ended. Close handles in a try-with-resources statement. The stack trace shows where it was acquired.",
				key, acquired));
	}

	/**
	 * As {@link #report()}, to somebody else than the log.
	 * @param reporter gets the key, and where the lock was acquired
	 */
	static int report(BiConsumer<String, Throwable> reporter) {
		int found = 0;
		for (Reference<? extends Handle> next = UNREACHABLE.poll(); next != null; next = UNREACHABLE.poll()) {
			if (next instanceof Sample sample && OPEN.remove(sample)) {
				found++;
				reporter.accept(sample.key, sample.acquired);
			}
		}
		return found;
	}

	/**
	 * A handle that is watched.
	 */
	static final class Sample extends WeakReference<Handle> {

		private final String key;

		private final Throwable acquired = new Throwable("The lock was acquired here");

		private Sample(Handle handle) {
			super(handle, UNREACHABLE);
			this.key = handle.key();
		}

		void close() {
			OPEN.remove(this);
			clear();
		}

	}

}
