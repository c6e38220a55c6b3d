package io.distributedlock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The {@link LockKeyLayout#DEFAULT default layout}. Characters that have a meaning on
 * some backend, such as a line break, a brace or a slash, are escaped. Thread-safe.
 */
final class DefaultKeyLayout implements LockKeyLayout {

	/**
	 * The shortest limit of all backends is that of Memcached, 250 bytes. The other 50
	 * are for what a provider adds to a key.
	 */
	static final int MAX_LENGTH = 200;

	/**
	 * A shortened key has 73 characters after the prefix, so it stays within
	 * {@link #MAX_LENGTH}.
	 */
	private static final int MAX_PREFIX_LENGTH = 99;

	/**
	 * Marks a key that was shortened. Escaping never produces it, so no other key looks
	 * like a shortened one.
	 */
	private static final char SHORTENED = '~';

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	@Override
	public String fullKey(String prefix, String name, String key) {
		String start = escapedPrefix(prefix);
		String afterStart = start.isEmpty() ? "" : ":";
		// no part has a colon of its own
		String between = (name.isEmpty() || key.isEmpty()) ? "" : ":";
		String whole = start + afterStart + escape(name, false) + between + escape(key, false);
		if (whole.length() <= MAX_LENGTH) {
			return whole;
		}
		String rest = whole.substring(start.length() + afterStart.length());
		return start + afterStart + SHORTENED + "sha256" + SHORTENED + sha256(rest);
	}

	private static String escapedPrefix(String prefix) {
		String escaped = escape(prefix, true);
		if (escaped.length() > MAX_PREFIX_LENGTH) {
			throw new IllegalArgumentException("The key prefix '%s' has %s characters when escaped; %s are allowed."
				.formatted(prefix, escaped.length(), MAX_PREFIX_LENGTH));
		}
		return escaped;
	}

	private static String escape(String part, boolean keepColon) {
		if (part.equals(".") || part.equals("..")) {
			return part.replace(".", "%2E");
		}
		for (int i = 0; i < part.length(); i++) {
			if (!isSafe(part.charAt(i), keepColon)) {
				return escapeFrom(i, part, keepColon);
			}
		}
		return part;
	}

	private static String escapeFrom(int start, String part, boolean keepColon) {
		requireWellFormed(start, part);
		StringBuilder escaped = new StringBuilder(part.length() + 16).append(part, 0, start);
		for (byte octet : part.substring(start).getBytes(StandardCharsets.UTF_8)) {
			if (octet > 0 && isSafe((char) octet, keepColon)) {
				escaped.append((char) octet);
			}
			else {
				escaped.append('%').append(HEX.toHexDigits(octet));
			}
		}
		return escaped.toString();
	}

	/**
	 * Refuse half a surrogate pair. It is no character: UTF-8 turns it into a question
	 * mark, and two different keys would become the same.
	 */
	private static void requireWellFormed(int start, String part) {
		for (int i = start; i < part.length(); i += Character.charCount(part.codePointAt(i))) {
			if (Character.getType(part.codePointAt(i)) == Character.SURROGATE) {
				throw new InvalidLockKeyException(
						"The name or key of a lock is not well-formed: there is half a surrogate pair at index %s. Check where it comes from; it may have been cut inside a character."
							.formatted(i),
						null);
			}
		}
	}

	private static boolean isSafe(char c, boolean keepColon) {
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-'
				|| c == '_' || c == '$' || c == '#' || c == '@' || c == '=' || c == '+' || c == ',' || c == '('
				|| c == ')' || (c == ':' && keepColon);
	}

	private static String sha256(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
