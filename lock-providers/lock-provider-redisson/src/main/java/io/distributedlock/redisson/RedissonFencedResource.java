package io.distributedlock.redisson;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.fencing.StaleTokenException;
import io.distributedlock.redis.scripts.PlainScripts;
import io.distributedlock.redis.scripts.RedisFencedWrite;
import io.distributedlock.redisson.internal.client.RedissonCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Values in Redis that refuse a write with a lower fencing token than they have seen, so
 * that a holder that was paused beyond its lease does no harm. The lock may be from any
 * provider with fencing tokens, but must always be from the same provider and for the
 * same key.
 * <p>
 * Values are text, as in a bucket with {@link StringCodec}. The highest token of the key
 * {@code k} is stored in {@code {k}:fence}, in the same hash slot and without an expiry.
 * For a key with a hash tag, {@code {t}k}, it is {@code {t}k:fence}. A write is one round
 * trip. Reads need no guard: read the key directly. Thread-safe.
 *
 * @since 0.1
 */
public final class RedissonFencedResource {

	/**
	 * It is never closed: its threads end when they are idle.
	 */
	private final RedissonServer server;

	/**
	 * Create a resource.
	 * @param client the client, which the caller shuts down; its time-outs limit how long
	 * a write may take
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
		RedisFencedWrite write = new RedisFencedWrite(name, token, value);
		RedissonCall call = new RedissonCall(PlainScripts.FENCED_WRITE, key, write.keys(), write.arguments());
		return Failures.translated(this.server.send(call), RedissonErrors::translate).thenApply((answer) -> {
			write.check(key, answer);
			return null;
		});
	}

	private static void await(CompletionStage<@Nullable Void> write) {
		try {
			write.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (Failures.unwrap(ex) instanceof StaleTokenException stale) ? stale : RedissonErrors.translate(ex);
		}
	}

}
