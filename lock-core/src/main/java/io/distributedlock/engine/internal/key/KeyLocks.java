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
	 * Let a call come to its key.
	 * @param localKey its key among the calls of this JVM
	 * @param call is told which {@link KeyLock} it stands at
	 * @return {@code true} if the key is free, and the call is to ask the backend;
	 * {@code false} if it stands in line
	 */
	boolean enter(String localKey, Waiter call) {
		KeyLock created = new KeyLock(this.inUse, localKey, call);
		call.standsAt(created);
		// costs less than the next step, and most keys are free
		if (this.inUse.putIfAbsent(localKey, created) == null) {
			return true;
		}
		boolean[] first = new boolean[1];
		this.inUse.compute(localKey, (ignored, known) -> {
			KeyLock lock = (known != null) ? known : created;
			call.standsAt(lock);
			first[0] = lock == created || lock.add(call);
			return lock;
		});
		return first[0];
	}

	/**
	 * Count one more waiting call.
	 * @param limit how many calls may wait for the key
	 * @return {@code false} if so many wait already
	 */
	boolean join(String localKey, int limit) {
		boolean[] joined = new boolean[1];
		this.inUse.compute(localKey, (ignored, known) -> {
			KeyLock lock = (known != null) ? known : new KeyLock(this.inUse, localKey, null);
			joined[0] = lock.join(limit);
			return lock.orGone();
		});
		return joined[0];
	}

	/**
	 * Count one waiting call less.
	 */
	void part(String localKey) {
		this.inUse.computeIfPresent(localKey, (ignored, lock) -> {
			lock.part();
			return lock.orGone();
		});
	}

	/**
	 * Return how many calls wait for a key.
	 */
	public int waitingFor(String localKey) {
		KeyLock lock = this.inUse.get(localKey);
		return (lock != null) ? lock.waiting() : 0;
	}

	/**
	 * Return how many calls wait.
	 */
	public int waiting() {
		return this.inUse.values().stream().mapToInt(KeyLock::waiting).sum();
	}

	/**
	 * Return how many keys are in use.
	 */
	public int size() {
		return this.inUse.size();
	}

}
