package io.distributedlock.redis.scripts.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The digest by which a server knows a script that it has executed before. Thread-safe.
 *
 * @since 0.1
 */
public final class ScriptDigest {

	private ScriptDigest() {
	}

	/**
	 * Return the digest of a script.
	 * @param source the source of the script
	 * @return its SHA-1 digest in lower-case hexadecimal digits, as {@code EVALSHA} takes
	 * it
	 */
	public static String of(String source) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
