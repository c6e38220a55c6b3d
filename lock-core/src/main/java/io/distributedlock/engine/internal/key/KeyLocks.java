package io.distributedlock.engine.internal.key;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.distributedlock.engine.internal.request.KeyId;

/**
 * The keys in use: a {@link KeyLock} is there while a call of this JVM wants its key, and
 * is removed with the last one. Thread-safe.
 */
public final class KeyLocks {

	private final ConcurrentMap<KeyId, KeyLock> inUse = new ConcurrentHashMap<>();

	/**
	 * How many calls wait for each key, also those that need not stand in line.
	 */
	private final ConcurrentMap<KeyId, Integer> waiting = new ConcurrentHashMap<>();

	/**
	 * Let a call come to its key.
	 * @param id its key
	 * @param call is told which {@link KeyLock} it stands at
	 * @return {@code true} if the key is free, and the call is to ask the backend;
	 * {@code false} if it stands in line
	 */
	boolean enter(KeyId id, Waiter call) {
		KeyLock created = new KeyLock(this.inUse, id, call);
		call.standsAt(created);
		return this.inUse.merge(id, created, (known, ignored) -> {
			call.standsAt(known);
			known.add(call);
			return known;
		}) == created;
	}

	/**
	 * Count one more waiting call.
	 * @param limit how many calls may wait for the key
	 * @return {@code false} if so many wait already
	 */
	boolean join(KeyId id, int limit) {
		boolean[] joined = new boolean[1];
		this.waiting.compute(id, (ignored, known) -> {
			int before = (known != null) ? known : 0;
			joined[0] = before < limit;
			return joined[0] ? Integer.valueOf(before + 1) : known;
		});
		return joined[0];
	}

	/**
	 * Count one waiting call less.
	 */
	void part(KeyId id) {
		this.waiting.computeIfPresent(id, (ignored, known) -> (known > 1) ? known - 1 : null);
	}

	/**
	 * Return how many calls wait for a key.
	 */
	public int waitingFor(KeyId id) {
		return this.waiting.getOrDefault(id, 0);
	}

	/**
	 * Return how many calls wait.
	 */
	public int waiting() {
		return this.waiting.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Return how many keys are in use.
	 */
	public int size() {
		return this.inUse.size();
	}

}
