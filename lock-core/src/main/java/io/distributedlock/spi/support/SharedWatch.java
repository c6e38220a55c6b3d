package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * For providers: one watch on the backend for all waiting calls of this JVM for a key. It
 * is kept for a while after the last of them has left: a lock that others wait for is
 * soon asked for again. Thread-safe.
 *
 * @param <W> the type of the waiting calls
 * @since 0.1
 */
public abstract class SharedWatch<W> {

	/**
	 * How long a watch is kept for which no call waits.
	 */
	private static final Duration UNUSED = Duration.ofSeconds(10);

	private final Set<W> waiters = ConcurrentHashMap.newKeySet();

	private volatile long unusedSince = System.nanoTime();

	/**
	 * Create a watch for which no call waits yet.
	 */
	protected SharedWatch() {
	}

	/**
	 * Return the waiting calls.
	 * @return those of now; others come and leave while the caller looks
	 */
	protected final Set<W> waiters() {
		return this.waiters;
	}

	/**
	 * End the watch on the backend. Must not block.
	 */
	protected abstract void end();

	boolean isUnused() {
		return this.waiters.isEmpty() && System.nanoTime() - this.unusedSince >= UNUSED.toNanos();
	}

	/**
	 * The watches of a provider. Thread-safe.
	 *
	 * @param <K> the type of the keys
	 * @param <W> the type of the waiting calls
	 * @param <T> the type of the watches
	 */
	public static final class All<K, W, T extends SharedWatch<W>> implements AutoCloseable {

		private final Map<K, T> watches = new ConcurrentHashMap<>();

		private final Function<K, T> factory;

		/**
		 * Create an object without watches.
		 * @param factory makes the watch of a key
		 */
		public All(Function<K, T> factory) {
			this.factory = factory;
		}

		/**
		 * Return the watch of a key.
		 * @param key the key
		 * @return the watch, {@code null} if there is none
		 */
		public @Nullable T find(K key) {
			return this.watches.get(key);
		}

		/**
		 * Add a waiting call.
		 * @param key the key
		 * @param waiter the waiting call
		 * @return the watch, a new one if there was none
		 */
		public T add(K key, W waiter) {
			return this.watches.compute(key, (ignored, known) -> {
				T watch = (known != null) ? known : create(key);
				watch.waiters().add(waiter);
				return watch;
			});
		}

		/**
		 * Remove a call that waits no more.
		 * @param key the key
		 * @param waiter the call
		 */
		public void remove(K key, W waiter) {
			SharedWatch<W> watch = this.watches.get(key);
			if (watch != null && watch.waiters.remove(waiter)) {
				watch.unusedSince = System.nanoTime();
			}
		}

		/**
		 * End all watches.
		 */
		@Override
		public void close() {
			this.watches.values().forEach(SharedWatch::end);
			this.watches.clear();
		}

		private T create(K key) {
			endIfUnused(key);
			return this.factory.apply(key);
		}

		private void endIfUnused(K key) {
			DelayedTasks.after(UNUSED.dividedBy(2)).execute(() -> {
				T remaining = this.watches.computeIfPresent(key, (ignored, watch) -> {
					if (watch.isUnused()) {
						watch.end();
						return null;
					}
					return watch;
				});
				if (remaining != null) {
					endIfUnused(key);
				}
			});
		}

	}

}
