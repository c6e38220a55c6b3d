package io.distributedlock.redis.scripts;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Values in Redis that refuse a write with a lower fencing token than they have seen, so
 * that a holder that was paused beyond its lease does no harm. The lock may be from any
 * provider with fencing tokens, but must always be from the same provider and for the
 * same key.
 * <p>
 * Values are text. The highest token of the key {@code k} is stored in {@code {k}:fence},
 * in the same hash slot and without an expiry. For a key with a hash tag, {@code {t}k},
 * it is {@code {t}k:fence}. A write is one round trip. Reads need no guard: read the key
 * directly. Thread-safe.
 *
 * @since 0.1
 */
public abstract class FencedResource {

	/**
	 * Create a resource.
	 */
	protected FencedResource() {
	}

	/**
	 * Set a value if no higher token was seen for its key.
	 * @param key the key
	 * @param value the value
	 * @param token the fencing token of the lock that is held
	 * @throws StaleTokenException if a higher token was seen; nothing was changed
	 * @throws BackendException if Redis failed; whether the value was set is unknown
	 */
	public void set(String key, String value, long token) {
		write(key, token, value);
	}

	/**
	 * Delete a key if no higher token was seen for it.
	 * @param key the key
	 * @param token the fencing token of the lock that is held
	 * @throws StaleTokenException if a higher token was seen; nothing was changed
	 * @throws BackendException if Redis failed; whether the key was deleted is unknown
	 */
	public void delete(String key, long token) {
		write(key, token, null);
	}

	/**
	 * Send a write.
	 * @param write the call
	 * @return completes with the answer of the script
	 */
	protected abstract CompletionStage<Long> send(ScriptCall write);

	/**
	 * Say what a failure of the client means.
	 * @param failure the failure
	 * @return the failure of the backend
	 */
	protected abstract BackendException translate(Throwable failure);

	/**
	 * Return the name that a key has in Redis.
	 * @param key the key, as the caller knows it
	 * @return the same, unless the client maps names
	 */
	protected String nameInRedis(String key) {
		return key;
	}

	private void write(String key, long token, @Nullable String value) {
		String name = nameInRedis(key);
		List<String> arguments = (value != null) ? List.of(Long.toString(token), value) : List.of(Long.toString(token));
		ScriptCall call = new ScriptCall(PlainScripts.FENCED_WRITE, List.of(name, highestTokenOf(name)), arguments);
		long highest;
		try {
			highest = send(call).toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw translate(ex);
		}
		if (highest > 0) {
			throw new StaleTokenException("key '" + key + "'", token, highest);
		}
	}

	/**
	 * Return the key of the highest token. Redis chooses the slot of a key by its hash
	 * tag, if it has one. A key without a tag becomes the tag; on a cluster it may have
	 * no closing brace.
	 */
	static String highestTokenOf(String key) {
		int tag = key.indexOf('{');
		// Redis ignores an empty tag
		boolean tagged = tag >= 0 && key.indexOf('}', tag) > tag + 1;
		return (tagged ? key : "{" + key + "}") + ":fence";
	}

}
