package io.distributedlock.test.locks;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Writes a full key as a test does, without the prefix of the application.
 */
final class KeyTexts {

	private KeyTexts() {
	}

	/**
	 * Return name and key of a full key. A shortened one stays as it is.
	 * @param fullKey {@code prefix:name:key}, or only the key; only the prefix has colons
	 * of its own
	 */
	static String of(String fullKey) {
		int beforeKey = fullKey.lastIndexOf(':');
		String key = decode(fullKey.substring(beforeKey + 1));
		if (beforeKey < 0) {
			return key;
		}
		String name = decode(fullKey.substring(fullKey.lastIndexOf(':', beforeKey - 1) + 1, beforeKey));
		return name.isEmpty() ? key : name + ":" + key;
	}

	private static String decode(String part) {
		// a plus sign in a full key is one
		return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

}
