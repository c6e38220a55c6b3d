package io.distributedlock.benchmarks.contention;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The least that a free lock costs on Redis: {@code SET NX PX}, and a script that deletes
 * the key if its value is still the owner's. It does not wait for a held lock.
 */
final class ByHand implements Contender {

	private static final String DELETE_OWN = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

	private final RedisCommands<String, String> redis;

	private final String digest;

	ByHand(String url) {
		this.redis = RedisClient.create(url).connect().sync();
		this.digest = this.redis.scriptLoad(DELETE_OWN);
	}

	@Override
	public Hold lock(String key) {
		String owner = Long.toString(System.nanoTime());
		if (this.redis.set(key, owner, SetArgs.Builder.nx().px(Peers.LEASE.toMillis())) == null) {
			throw new IllegalStateException("Another caller holds the lock, and this contender cannot wait");
		}
		return () -> this.redis.evalsha(this.digest, ScriptOutputType.INTEGER, new String[] { key }, owner);
	}

}
