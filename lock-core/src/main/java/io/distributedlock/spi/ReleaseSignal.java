package io.distributedlock.spi;

/**
 * A provider that can tell waiters of a release. A message may be missed or come for no
 * reason: the engine also asks again at intervals, and always asks before it believes.
 *
 * @since 0.1
 */
public interface ReleaseSignal {

	/**
	 * Start to listen for releases of a key. Returns without waiting for the backend.
	 * @param key the full key
	 * @param onRelease called on any thread whenever the key may be free, also once as
	 * soon as the subscription has become active: a release before that moment was not
	 * heard. Must not block
	 * @return ends the subscription
	 */
	Subscription listen(String key, Runnable onRelease);

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
