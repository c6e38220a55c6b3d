package io.distributedlock.redis;

/**
 * The keys in Redis that belong to one lock. Their hash tag puts all of them into the
 * slot of the lock's key, since a script may use keys of one slot only.
 * <p>
 * Why: docs/decisions/030-redis-readers-share-the-key.md
 */
final class RedisKeys {

	private RedisKeys() {
	}

	static String counter(String key) {
		return "{" + key + "}:token";
	}

	static String permits(String key) {
		return "{" + key + "}:permits";
	}

	static String queue(String key) {
		return "{" + key + "}:queue";
	}

	static String alive(String key) {
		return "{" + key + "}:alive";
	}

}
