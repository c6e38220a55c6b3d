package io.distributedlock.autoconfigure.endpoint;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * Shows keys as the application allows it.
 *
 * @param show how
 */
record ShownKeys(LocksEndpointProperties.ShowKeys show) {

	/**
	 * How the hash of a key begins.
	 */
	static final String HASH_PREFIX = "sha256:";

	/**
	 * Enough to tell the locks of one application apart.
	 */
	private static final int HASH_BYTES = 8;

	/**
	 * Return what to show of a full key, {@code null} for nothing.
	 */
	@Nullable String of(String key) {
		return switch (this.show) {
			case NEVER -> null;
			case HASH -> HASH_PREFIX + hash(key);
			case ALWAYS -> key;
		};
	}

	/**
	 * Return a number by which a text is recognized.
	 */
	static String hash(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}
