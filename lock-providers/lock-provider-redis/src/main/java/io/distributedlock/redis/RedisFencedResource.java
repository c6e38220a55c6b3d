package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.RedisFencedWrite;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.support.Failures;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

/**
 * Values in Redis that refuse a write with a lower fencing token than they have seen, so
 * that a holder that was paused beyond its lease does no harm. The lock may be from any
 * provider with fencing tokens, but must always be from the same provider and for the
 * same key.
 * <p>
 * The highest token of the key {@code k} is stored in {@code {k}:fence}, in the same hash
 * slot and without an expiry. For a key with a hash tag, {@code {t}k}, it is
 * {@code {t}k:fence}. A write is one round trip. Reads need no guard: read the key
 * directly. Thread-safe.
 *
 * @since 0.1
 */
public final class RedisFencedResource implements AutoCloseable {

	private final RedisLink link;

	private final Duration commandTimeout;

	/**
	 * Create a resource.
	 * @param client a {@link RedisClient}, of a server or a Sentinel, or a
	 * {@link RedisClusterClient}; the caller shuts it down
	 * @param commandTimeout how long to wait for the answer to a write
	 */
	public RedisFencedResource(AbstractRedisClient client, Duration commandTimeout) {
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
		RedisFencedWrite write = new RedisFencedWrite(key, token, value);
		ScriptCall call = new ScriptCall(PlainScripts.FENCED_WRITE, write.keys(), write.arguments());
		return Failures.translated(this.link.<Long>send(call), RedisErrors::translate).thenApply((answer) -> {
			write.check(key, answer);
			return null;
		});
	}

	private void await(CompletionStage<@Nullable Void> write) {
		try {
			write.toCompletableFuture().orTimeout(this.commandTimeout.toMillis(), TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			throw (Failures.unwrap(ex) instanceof StaleTokenException stale) ? stale : RedisErrors.translate(ex);
		}
	}

}
