package io.distributedlock.redisson;

import java.util.concurrent.CompletionStage;

import io.distributedlock.redis.scripts.FencedResource;
import io.distributedlock.redis.scripts.script.ScriptCall;
import io.distributedlock.redisson.internal.client.RedissonErrors;
import io.distributedlock.redisson.internal.client.RedissonServer;
import io.distributedlock.spi.BackendException;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Values in Redis that refuse a write with a lower fencing token than they have seen.
 * They are text, as in a bucket with {@link StringCodec}.
 *
 * @since 0.1
 */
public final class RedissonFencedResource extends FencedResource {

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

	@Override
	protected CompletionStage<Long> send(ScriptCall write) {
		return this.server.send(write);
	}

	@Override
	protected BackendException translate(Throwable failure) {
		return RedissonErrors.translate(failure);
	}

	@Override
	protected String nameInRedis(String key) {
		return this.server.client().getConfig().getNameMapper().map(key);
	}

}
