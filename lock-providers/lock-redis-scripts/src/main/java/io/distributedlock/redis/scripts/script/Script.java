package io.distributedlock.redis.scripts.script;

/**
 * A script, which Redis executes in one step. A client that has lost its connection sends
 * a command again, so a script may be executed twice for one call: the second time must
 * change nothing.
 *
 * @since 0.1
 */
public final class Script {

	private final String source;

	private final String digest;

	private final Role role;

	private final Answer answer;

	Script(Role role, Answer answer, String source) {
		this.role = role;
		this.answer = answer;
		this.source = source;
		this.digest = ScriptDigest.of(source);
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
	 * Return what the script is for.
	 * @return its role, the same in each layout of the keys
	 */
	public Role role() {
		return this.role;
	}

	/**
	 * Return what the script answers with.
	 * @return the type of the answer
	 */
	public Answer answer() {
		return this.answer;
	}

	/**
	 * What a script is for, as far as a client sends it in another way for that.
	 */
	public enum Role {

		/**
		 * It is {@link io.distributedlock.redis.scripts.LockScripts#acquire()}.
		 */
		ACQUIRE,

		/**
		 * It is {@link io.distributedlock.redis.scripts.LockScripts#exchange()}.
		 */
		EXCHANGE,

		/**
		 * Any other script.
		 */
		OTHER

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
