package io.distributedlock.engine.internal.request;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.distributedlock.LockRequest;

/**
 * Makes the key that the backend sees: {@code prefix:name:key}. Two different pairs of
 * name and key never give the same result. Characters that have a meaning on some
 * backend, such as a line break, a brace or a slash, are escaped.
 */
public final class LockKeyFormat {

	/**
	 * The shortest limit of all backends is that of Memcached, 250 bytes. The other 50
	 * are for what a provider adds to a key.
	 */
	static final int MAX_LENGTH = 200;

	/**
	 * A shortened key has 72 characters after the prefix, so it stays within
	 * {@link #MAX_LENGTH}.
	 */
	private static final int MAX_PREFIX_LENGTH = 100;

	/**
	 * Marks a key that was shortened. Escaping never produces it, so no other key looks
	 * like a shortened one.
	 */
	private static final char SHORTENED = '~';

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private final String prefix;

	public LockKeyFormat(String prefix) {
		this.prefix = escapedPrefix(prefix);
	}

	/**
	 * Refuse a prefix that is too long or not well-formed.
	 */
	public static String requirePrefix(String prefix) {
		escapedPrefix(prefix);
		return prefix;
	}

	private static String escapedPrefix(String prefix) {
		String escaped = prefix.isEmpty() ? "" : escape(prefix, true) + ":";
		if (escaped.length() > MAX_PREFIX_LENGTH) {
			throw new IllegalArgumentException("The key prefix '%s' has %s characters when escaped; %s are allowed."
				.formatted(prefix, escaped.length() - 1, MAX_PREFIX_LENGTH - 1));
		}
		return escaped;
	}

	public String format(LockRequest request) {
		String name = escape(request.name(), false);
		String key = escape(request.key(), false);
		if (this.prefix.length() + name.length() + 1 + key.length() <= MAX_LENGTH) {
			return (this.prefix.isEmpty() && name.isEmpty()) ? key : this.prefix + name + ':' + key;
		}
		return this.prefix + SHORTENED + "sha256" + SHORTENED + sha256(name + ':' + key);
	}

	private static String escape(String part, boolean keepColon) {
		requireWellFormed(part);
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
	private static void requireWellFormed(String part) {
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (Character.isHighSurrogate(c) && i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))) {
				i++;
			}
			else if (Character.isSurrogate(c)) {
				throw new IllegalArgumentException(
						"The name or key of a lock is not well-formed: there is half a surrogate pair at index %s. Check where it comes from; it may have been cut inside a character."
							.formatted(i));
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
