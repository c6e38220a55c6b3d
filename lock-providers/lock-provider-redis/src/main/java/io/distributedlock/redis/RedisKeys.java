package io.distributedlock.redis;

import io.distributedlock.redis.scripts.TokenCounters;

/**
 * The keys in Redis that belong to one lock, as far as the scripts do not name them
 * themselves. Their hash tag puts all of them into the slot of the lock's key, since a
 * script may use keys of one slot only.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 */
final class RedisKeys {

	private RedisKeys() {
	}

	static String permits(String key) {
		return TokenCounters.tag(key) + ":permits";
	}

	/**
	 * The mark that somebody waits for a permit.
	 */
	static String permitsMark(String key) {
		return permits(key) + ":mark";
	}

}
