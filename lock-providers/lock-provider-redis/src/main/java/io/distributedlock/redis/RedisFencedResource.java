package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.distributedlock.redis.internal.client.RedisErrors;
import io.distributedlock.redis.internal.client.RedisLink;
import io.distributedlock.redis.scripts.FencedResource;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.spi.BackendException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;

/**
 * Values in Redis that refuse a write with a lower fencing token than they have seen,
 * through Lettuce.
 *
 * @since 0.1
 */
public final class RedisFencedResource extends FencedResource implements AutoCloseable {

	private final RedisLink link;

	/**
	 * Create a resource.
	 * @param client a {@link RedisClient}, of a server or a Sentinel, or a
	 * {@link RedisClusterClient}; the caller shuts it down
	 * @param commandTimeout how long to wait for the answer to a write
	 */
	public RedisFencedResource(AbstractRedisClient client, Duration commandTimeout) {
		this.link = new RedisLink(client, commandTimeout);
	}

	@Override
	public void close() {
		this.link.close();
	}

	@Override
	protected CompletionStage<Long> send(ScriptCall write) {
		return this.link.send(write);
	}

	@Override
	protected BackendException translate(Throwable failure) {
		return RedisErrors.translate(failure);
	}

}
