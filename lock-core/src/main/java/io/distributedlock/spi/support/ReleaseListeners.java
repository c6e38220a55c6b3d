package io.distributedlock.spi.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.distributedlock.spi.ReleaseSignal;

/**
 * For providers that are a {@link ReleaseSignal}: which callers of this JVM listen for
 * the release of which key. Whatever a provider does on its backend for a key, it does in
 * an action that this class runs: the actions for one key run one after the other, in the
 * order in which its listeners come and leave. So a channel that is left is not the one
 * that a new listener has just subscribed to. An action must not block, must not throw
 * and must not call this object. Thread-safe.
 *
 * @since 0.1
 */
public final class ReleaseListeners {

	private final ConcurrentHashMap<String, Set<Runnable>> byKey = new ConcurrentHashMap<>();

	private final Consumer<String> afterLast;

	/**
	 * Create a registry for a provider that does nothing when the last listener leaves.
	 */
	public ReleaseListeners() {
		this((key) -> {
		});
	}

	/**
	 * Create a registry.
	 * @param afterLast the action for a key whose last listener has left
	 */
	public ReleaseListeners(Consumer<String> afterLast) {
		this.afterLast = afterLast;
	}

	/**
	 * Add a listener for a key.
	 * @param key the key
	 * @param onRelease what to call when the key may be free
	 * @return removes the listener; a call that is under way then still ends
	 */
	public ReleaseSignal.Subscription add(String key, Runnable onRelease) {
		return add(key, onRelease, () -> {
		});
	}

	/**
	 * Add a listener for a key, and subscribe on the backend.
	 * @param key the key
	 * @param onRelease what to call when the key may be free
	 * @param subscribe the action for the key, once the listener is there
	 * @return removes the listener; a call that is under way then still ends
	 */
	public ReleaseSignal.Subscription add(String key, Runnable onRelease, Runnable subscribe) {
		// an object of its own: the same one may listen twice
		Runnable listener = () -> onRelease.run();
		this.byKey.compute(key, (ignored, current) -> {
			Set<Runnable> all = (current != null) ? current : ConcurrentHashMap.newKeySet();
			all.add(listener);
			return all;
		});
		// a second step: who tells of the answer finds the listener only after the first
		ifAnyFor(key, subscribe);
		return () -> remove(key, listener);
	}

	/**
	 * Call the listeners of a key.
	 * @param key the key
	 */
	public void tell(String key) {
		this.byKey.getOrDefault(key, Set.of()).forEach(Runnable::run);
	}

	/**
	 * Call the listeners of all keys.
	 */
	public void tellAll() {
		this.byKey.keySet().forEach(this::tell);
	}

	/**
	 * Run an action for each key that has listeners.
	 * @param action receives the key
	 */
	public void forEachKey(Consumer<String> action) {
		this.byKey.keySet().forEach((key) -> ifAnyFor(key, () -> action.accept(key)));
	}

	/**
	 * Run an action for a key if it has listeners.
	 * @param key the key
	 * @param action what to run
	 */
	public void ifAnyFor(String key, Runnable action) {
		this.byKey.computeIfPresent(key, (ignored, all) -> {
			action.run();
			return all;
		});
	}

	/**
	 * Run an action for a key if it has no listeners.
	 * @param key the key
	 * @param action what to run
	 */
	public void ifNoneFor(String key, Runnable action) {
		this.byKey.compute(key, (ignored, all) -> {
			if (all == null) {
				action.run();
			}
			return all;
		});
	}

	/**
	 * Return how many keys have listeners.
	 * @return the number of keys
	 */
	public int keys() {
		return this.byKey.size();
	}

	private void remove(String key, Runnable listener) {
		this.byKey.computeIfPresent(key, (ignored, all) -> {
			all.remove(listener);
			if (!all.isEmpty()) {
				return all;
			}
			this.afterLast.accept(key);
			return null;
		});
	}

}
