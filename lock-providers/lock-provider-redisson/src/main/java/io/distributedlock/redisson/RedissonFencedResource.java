package io.distributedlock.redisson;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.StaleTokenException;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Values in Redis that refuse writes with a fencing token lower than one they have seen,
 * so that a holder which was paused beyond its lease does no harm. The lock may be of any
 * provider with fencing tokens, but always of the same one and the same key.
 * <p>
 * Values are text, as of a bucket with {@link StringCodec}. Beside the key {@code k}
 * stands the highest token, {@code {k}:fence}, in the same hash slot and without an
 * expiry; beside one with a hash tag, {@code {t}k}, it is {@code {t}k:fence}. A write is
 * one round trip. Reads need no guard: read the key as ever. Thread-safe.
 *
 * @since 0.1
 */
public final class RedissonFencedResource {

	/**
	 * Never closed: its threads end by themselves.
	 */
	private final RedissonServer server;

	/**
	 * Create a resource.
	 * @param client the client, which stays the caller's to shut down; its time-outs say
	 * how long a write may take
	 */
	public RedissonFencedResource(RedissonClient client) {
		this.server = new RedissonServer(client);
	}

	/**
	 * Set a value if no higher token was seen for its key.
	 * @param key the key
	 * @param value the value
	 * @param token the fencing token of the lock that is held
	 * @throws StaleTokenException if a higher token was seen; nothing was changed
	 * @throws io.distributedlock.spi.BackendException if Redis failed; whether the value
	 * was set is unknown
	 */
	public void set(String key, String value, long token) {
		await(write(key, token, value));
	}

	/**
	 * Delete a key if no higher token was seen for it.
	 * @param key the key
	 * @param token the fencing token of the lock that is held
	 * @throws StaleTokenException if a higher token was seen; nothing was changed
	 * @throws io.distributedlock.spi.BackendException if Redis failed; whether the key
	 * was deleted is unknown
	 */
	public void delete(String key, long token) {
		await(write(key, token, null));
	}

	/**
	 * As {@link #set}, without blocking the calling thread.
	 * @param key the key
	 * @param value the value
	 * @param token the fencing token of the lock that is held
	 * @return completes when the value is set; fails with what {@link #set} throws
	 */
	public CompletionStage<@Nullable Void> setAsync(String key, String value, long token) {
		return write(key, token, value);
	}

	private CompletionStage<@Nullable Void> write(String key, long token, @Nullable String value) {
		String name = this.server.client().getConfig().getNameMapper().map(key);
		List<String> arguments = (value != null) ? List.of(Long.toString(token), value) : List.of(Long.toString(token));
		return this.server.send(new ScriptCall(RedissonScript.FENCED_WRITE, List.of(name, fenceOf(name)), arguments))
			.handle((highest, failure) -> {
				if (failure != null) {
					throw RedissonErrors.translate(failure);
				}
				if (highest > 0) {
					throw new StaleTokenException("key '" + key + "'", token, highest);
				}
				return null;
			});
	}

	private static String fenceOf(String key) {
		int tag = key.indexOf('{');
		// an empty tag is none
		return (tag >= 0 && key.indexOf('}', tag) > tag + 1) ? key + ":fence" : "{" + key + "}:fence";
	}

	private static void await(CompletionStage<@Nullable Void> write) {
		try {
			write.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StaleTokenException stale) ? stale : RedissonErrors.translate(ex);
		}
	}

}
