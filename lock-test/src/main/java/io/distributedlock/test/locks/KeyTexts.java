package io.distributedlock.test.locks;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/**
 * Writes a full key as a test does, without the prefix of the application.
 */
final class KeyTexts {

	private KeyTexts() {
	}

	/**
	 * Return name and key of a full key. A shortened one stays as it is, and so does one
	 * of another layout.
	 * @param starts what all full keys of the default layout begin with; the longest that
	 * fits counts, as one prefix may begin another
	 */
	static String of(String fullKey, List<String> starts) {
		return starts.stream()
			.filter(fullKey::startsWith)
			.max(Comparator.comparingInt(String::length))
			// a plus sign in a full key is one
			.map((start) -> URLDecoder.decode(fullKey.substring(start.length()).replace("+", "%2B"),
					StandardCharsets.UTF_8))
			.orElse(fullKey);
	}

}
