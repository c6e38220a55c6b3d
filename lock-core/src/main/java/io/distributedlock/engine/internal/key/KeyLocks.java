package io.distributedlock.engine.internal.key;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The keys in use: a {@link KeyLock} is there while a call of this JVM wants its key, and
 * is removed with the last one. Thread-safe.
 */
public final class KeyLocks {

	private final ConcurrentMap<String, KeyLock> inUse = new ConcurrentHashMap<>();

	/**
	 * How many calls wait for each key, also those that need not stand in line.
	 */
	private final ConcurrentMap<String, Integer> waiting = new ConcurrentHashMap<>();

	/**
	 * Let a call come to its key.
	 * @param localKey its key among the calls of this JVM
	 * @param call is told which {@link KeyLock} it stands at
	 * @return {@code true} if the key is free, and the call is to ask the backend;
	 * {@code false} if it stands in line
	 */
	boolean enter(String localKey, Waiter call) {
		KeyLock created = new KeyLock(this.inUse, localKey, call);
		call.standsAt(created);
		return this.inUse.merge(localKey, created, (known, ignored) -> {
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
	boolean join(String localKey, int limit) {
		boolean[] joined = new boolean[1];
		this.waiting.compute(localKey, (ignored, known) -> {
			int before = (known != null) ? known : 0;
			joined[0] = before < limit;
			return joined[0] ? Integer.valueOf(before + 1) : known;
		});
		return joined[0];
	}

	/**
	 * Count one waiting call less.
	 */
	void part(String localKey) {
		this.waiting.computeIfPresent(localKey, (ignored, known) -> (known > 1) ? known - 1 : null);
	}

	/**
	 * Return how many calls wait for a key.
	 */
	public int waitingFor(String localKey) {
		return this.waiting.getOrDefault(localKey, 0);
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
