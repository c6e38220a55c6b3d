package io.distributedlock.benchmarks.contention.contender;

import java.time.Duration;
import java.util.OptionalLong;

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

	private ByHand(String url) {
		this.redis = RedisClient.create(url).connect().sync();
		this.digest = this.redis.scriptLoad(DELETE_OWN);
	}

	static Contender plain(String url) {
		return new ByHand(url);
	}

	/**
	 * Return the same with a fencing token: a script counts one key for all locks up, and
	 * takes the lock.
	 */
	static Contender fenced(String url) {
		ByHand byHand = new ByHand(url);
		String acquire = byHand.redis.scriptLoad("""
				if redis.call('exists', KEYS[1]) == 1 then return 0 end
				local token = redis.call('incr', KEYS[2])
				redis.call('pexpire', KEYS[2], 86400000)
				redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
				return token""");
		String lease = Long.toString(Peers.LEASE.toMillis());
		return (key, wait) -> {
			String owner = newOwner();
			Long token = byHand.redis.evalsha(acquire, ScriptOutputType.INTEGER, new String[] { key, "by-hand:token" },
					owner, lease);
			requireFree(token != 0);
			return new Fenced(byHand, key, owner, token);
		};
	}

	@Override
	public Hold lock(String key, Duration wait) {
		String owner = newOwner();
		requireFree(this.redis.set(key, owner, SetArgs.Builder.nx().px(Peers.LEASE.toMillis())) != null);
		return () -> unlock(key, owner);
	}

	private void unlock(String key, String owner) {
		this.redis.evalsha(this.digest, ScriptOutputType.INTEGER, new String[] { key }, owner);
	}

	private static String newOwner() {
		return Long.toString(System.nanoTime());
	}

	private static void requireFree(boolean taken) {
		if (!taken) {
			throw new IllegalStateException("Another caller holds the lock, and this contender cannot wait");
		}
	}

	private record Fenced(ByHand byHand, String key, String owner, long token) implements Hold {

		@Override
		public void unlock() {
			this.byHand.unlock(this.key, this.owner);
		}

		@Override
		public OptionalLong fencingToken() {
			return OptionalLong.of(this.token);
		}

	}

}
