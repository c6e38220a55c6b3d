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
	 * Return name and key of a full key. A shortened one stays as it is, and so does one
	 * of another layout.
	 * @param start what all full keys of the default layout begin with
	 */
	static String of(String fullKey, String start) {
		// a plus sign in a full key is one
		return fullKey.startsWith(start)
				? URLDecoder.decode(fullKey.substring(start.length()).replace("+", "%2B"), StandardCharsets.UTF_8)
				: fullKey;
	}

}
