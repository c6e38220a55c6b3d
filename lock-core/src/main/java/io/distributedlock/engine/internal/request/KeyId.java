package io.distributedlock.engine.internal.request;

import java.util.Comparator;

/**
 * A key among the calls of this JVM: calls with the same one compete. A semaphore has
 * nothing to do with a lock of the same key, and semaphores of different sizes do not
 * keep each other out. The order is the one in which calls acquire several locks.
 *
 * @param provider the name of the provider
 * @param permits how many owners a semaphore admits, zero for a lock
 * @param key the full key
 */
public record KeyId(String provider, int permits, String key) implements Comparable<KeyId> {

	@Override
	public int compareTo(KeyId other) {
		return Comparator.comparing(KeyId::provider)
			.thenComparingInt(KeyId::permits)
			.thenComparing(KeyId::key)
			.compare(this, other);
	}

}
