package io.distributedlock.redis.scripts;

import java.util.List;

import io.distributedlock.fencing.StaleTokenException;
import org.jspecify.annotations.Nullable;

/**
 * A write of a value that Redis refuses if it has seen a higher fencing token for the
 * key. Writes to one key through different clients guard each other: the script, its keys
 * and the meaning of its answer are the same for all. Thread-safe.
 *
 * @param redisKey the key in Redis
 * @param token the fencing token of the lock that is held
 * @param value the value, {@code null} to delete the key
 * @since 0.1
 */
public record RedisFencedWrite(String redisKey, long token, @Nullable String value) {

	/**
	 * Return the keys of the script, which are in one hash slot. On a cluster this needs
	 * a hash tag in the key if the key has a closing brace.
	 * @return the key, and the key of its highest token
	 */
	public List<String> keys() {
		return List.of(this.redisKey, highestTokenKey());
	}

	/**
	 * Return the arguments of the script.
	 * @return the token, and the value unless the key is to be deleted
	 */
	public List<String> arguments() {
		String argument = Long.toString(this.token);
		return (this.value != null) ? List.of(argument, this.value) : List.of(argument);
	}

	/**
	 * Check the answer of the script.
	 * @param key the key as the caller knows it, for the message
	 * @param answer the answer
	 * @throws StaleTokenException if Redis has seen a higher token
	 */
	public void check(String key, long answer) {
		if (answer > 0) {
			throw new StaleTokenException("key '" + key + "'", this.token, answer);
		}
	}

	/**
	 * Redis chooses the slot of a key by its hash tag, if it has one. A key without a tag
	 * becomes the tag.
	 */
	private String highestTokenKey() {
		int tag = this.redisKey.indexOf('{');
		// Redis ignores an empty tag
		boolean tagged = tag >= 0 && this.redisKey.indexOf('}', tag) > tag + 1;
		return (tagged ? this.redisKey : "{" + this.redisKey + "}") + ":fence";
	}

}
