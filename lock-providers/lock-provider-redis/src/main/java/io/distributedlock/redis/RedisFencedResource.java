package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.StaleTokenException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

/**
 * Values in Redis that refuse writes with a fencing token lower than one they have seen,
 * so that a holder which was paused beyond its lease does no harm. The lock may be of any
 * provider with fencing tokens, but always of the same one and the same key.
 * <p>
 * Beside the key {@code k} stands the highest token, {@code {k}:fence}, in the same hash
 * slot and without an expiry; beside one with a hash tag, {@code {t}k}, it is
 * {@code {t}k:fence}. A write is one round trip. Reads need no guard: read the key as
 * ever. Thread-safe.
 *
 * @since 0.1
 */
public final class RedisFencedResource implements AutoCloseable {

	private final RedisLink link;

	private final Duration commandTimeout;

	/**
	 * Create a resource on a single server or on a Sentinel.
	 * @param client the client, which stays the caller's to shut down
	 * @param commandTimeout how long to wait for the answer to a write
	 */
	public RedisFencedResource(RedisClient client, Duration commandTimeout) {
		this.link = new RedisLink(client, commandTimeout);
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Create a resource on a cluster.
	 * @param client the client, which stays the caller's to shut down
	 * @param commandTimeout how long to wait for the answer to a write
	 */
	public RedisFencedResource(RedisClusterClient client, Duration commandTimeout) {
		this.link = new RedisLink(client, commandTimeout);
		this.commandTimeout = commandTimeout;
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

	@Override
	public void close() {
		this.link.close();
	}

	private CompletionStage<@Nullable Void> write(String key, long token, @Nullable String value) {
		String[] keys = { key, fenceOf(key) };
		String[] arguments = (value != null) ? new String[] { Long.toString(token), value }
				: new String[] { Long.toString(token) };
		return this.link.send(RedisCall.of(RedisScript.FENCED_WRITE, keys, arguments)).handle((highest, failure) -> {
			if (failure != null) {
				throw RedisErrors.translate(failure);
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

	private void await(CompletionStage<@Nullable Void> write) {
		try {
			write.toCompletableFuture().orTimeout(this.commandTimeout.toMillis(), TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StaleTokenException stale) ? stale : RedisErrors.translate(ex);
		}
	}

}
