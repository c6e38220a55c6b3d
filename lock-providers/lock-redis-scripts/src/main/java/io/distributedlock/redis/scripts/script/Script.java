package io.distributedlock.redis.scripts.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A script, which Redis executes in one step. A client that has lost its connection sends
 * a command again, so a script may be executed twice for one call: the second time must
 * change nothing.
 *
 * @since 0.1
 */
public final class Script {

	private final LuaFiles files;

	private final String name;

	private final Answer answer;

	private final String source;

	private final String digest;

	private final ConcurrentHashMap<String, Script> variants = new ConcurrentHashMap<>();

	Script(LuaFiles files, Answer answer, String name) {
		this.files = files;
		this.name = name;
		this.answer = answer;
		this.source = files.source(name);
		this.digest = digest(this.source);
	}

	/**
	 * Return the source, which a server gets that does not know the script.
	 * @return the source in Lua
	 */
	public String source() {
		return this.source;
	}

	/**
	 * Return the digest, by which a server knows the script.
	 * @return the digest, as {@code EVALSHA} takes it
	 */
	public String digest() {
		return this.digest;
	}

	/**
	 * Return what the script answers with.
	 * @return the type of the answer
	 */
	public Answer answer() {
		return this.answer;
	}

	/**
	 * Return the script with the files of a folder instead of those of the same names.
	 * @param folder the folder
	 * @return the script, this one if it has none of these files
	 */
	public Script variant(String folder) {
		return this.variants.computeIfAbsent(folder, (first) -> {
			Script variant = new Script(this.files.behind(first), this.answer, this.name);
			return variant.digest.equals(this.digest) ? this : variant;
		});
	}

	/**
	 * Return the digest of a source as {@code EVALSHA} takes it.
	 */
	static String digest(String source) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What a script answers with.
	 */
	public enum Answer {

		/**
		 * A {@link Long}.
		 */
		NUMBER,

		/**
		 * A {@link String}.
		 */
		TEXT,

		/**
		 * A {@link java.util.List} of {@link String}s.
		 */
		TEXTS

	}

}
