package io.distributedlock.etcd;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that were refused to a caller of this JVM lately. Whoever asks for one of
 * them again looks first, and creates a key only if the lock is free: the key of a caller
 * that is refused stands in front of the next one until it is deleted. Thread-safe.
 * <p>
 * Why: docs/decisions/038-one-etcd-lease-for-many-locks.md
 */
final class RefusedKeys {

	private static final Duration LATELY = Duration.ofSeconds(1);

	/**
	 * How many are remembered. To forget them costs a key that is created and deleted.
	 */
	private static final int MOST = 10_000;

	private final Map<String, Long> refusedAt = new ConcurrentHashMap<>();

	void add(String key) {
		if (this.refusedAt.size() >= MOST) {
			this.refusedAt.clear();
		}
		this.refusedAt.put(key, System.nanoTime());
	}

	boolean contains(String key) {
		Long at = this.refusedAt.get(key);
		return at != null && (System.nanoTime() - at < LATELY.toNanos() || !this.refusedAt.remove(key, at));
	}

}
