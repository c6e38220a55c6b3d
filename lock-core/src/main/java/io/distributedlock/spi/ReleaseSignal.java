package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * For a {@link LockProvider} whose backend signals a release. A signal may be lost, or
 * come without a release: the engine also polls, and it always asks before it relies on a
 * signal.
 *
 * @since 0.1
 */
public interface ReleaseSignal {

	/**
	 * Start listening for releases of a key. Returns without waiting for the backend.
	 * @param key the full key
	 * @param onRelease called on any thread whenever the key may be free. Also called
	 * once when the subscription has become active, since a release before that moment
	 * sent no signal. Must not block
	 * @return ends the subscription; {@code null} if the backend sends no signals after
	 * all, so that the engine asks at intervals
	 */
	@Nullable Subscription listen(String key, Runnable onRelease);

	/**
	 * A subscription to the releases of one key.
	 */
	@FunctionalInterface
	interface Subscription extends AutoCloseable {

		/**
		 * Stop listening. Returns without waiting for the backend. Idempotent.
		 */
		@Override
		void close();

	}

}
