package io.distributedlock.redis;

/**
 * The names that a key has on the server, all in one hash slot.
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
