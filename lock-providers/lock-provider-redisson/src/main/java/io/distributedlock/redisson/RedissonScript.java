package io.distributedlock.redisson;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.redisson.api.RScript;
import org.redisson.api.RScriptAsync;

/**
 * What Redisson does not offer with an explicit owner and lease, on the layout of its own
 * locks: a hash of owners with the count of their holds, the field {@code mode} where
 * readers and writers share it, and for each reader a key that lives as long as its
 * lease.
 */
enum RedissonScript {

	/**
	 * Lets a lock run anew. Keys: lock. Arguments: owner, lease.
	 */
	RENEW("""
			if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return 0"""),

	/**
	 * Lets a lock run anew that was granted a while ago, and gives it a token. Keys:
	 * lock, counter. Arguments: owner, lease.
	 */
	RENEW_WITH_TOKEN("""
			if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
			redis.call('pexpire', KEYS[1], ARGV[2])
			return redis.call('incr', KEYS[2])"""),

	/**
	 * Takes the write lock. Redisson's own would also take what a lock without readers
	 * and writers holds. Keys: lock, counter. Arguments: owner, lease.
	 */
	ACQUIRE_WRITE("""
			if redis.call('exists', KEYS[1]) == 1 then return 0 end
			local token = redis.call('incr', KEYS[2])
			redis.call('hset', KEYS[1], 'mode', 'write', ARGV[1], 1)
			redis.call('pexpire', KEYS[1], ARGV[2])
			return token"""),

	/**
	 * Takes a read lock. Keys: lock, counter, the reader's own. Arguments: owner, lease.
	 */
	ACQUIRE_READ("""
			local mode = redis.call('hget', KEYS[1], 'mode')
			if mode ~= 'read' and redis.call('exists', KEYS[1]) == 1 then return 0 end
			local token = redis.call('incr', KEYS[2])
			redis.call('hset', KEYS[1], 'mode', 'read', ARGV[1], 1)
			redis.call('set', KEYS[3], 1, 'PX', ARGV[2])
			redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), ARGV[2]))
			return token"""),

	/**
	 * Lets a read lock run anew, unless it has ended while others kept the lock. Keys:
	 * lock, the reader's own. Arguments: owner, lease.
	 */
	RENEW_READ("""
			if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
			if redis.call('pexpire', KEYS[2], ARGV[2]) == 0 then return 0 end
			redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), ARGV[2]))
			return 1"""),

	/**
	 * Gives a read or write lock back, keeps it for as long as other readers have it, and
	 * tells those who wait, on the channel of read-write locks and on that of the others.
	 * Those who wait for a write lock by hand are woken together, as Redisson does. Keys:
	 * lock, the reader's own. Arguments: owner, the channel of read-write locks, that of
	 * the others, what stands before and behind an owner in the name of its key, the
	 * command to publish.
	 */
	RELEASE_SHARED("""
			local had = redis.call('hdel', KEYS[1], ARGV[1])
			if had == 0 then return 0 end
			local reading = redis.call('hget', KEYS[1], 'mode') == 'read'
			if reading then had = redis.call('del', KEYS[2]) end
			local left = 0
			for _, owner in ipairs(redis.call('hkeys', KEYS[1])) do
			  local holds = tonumber(redis.call('hget', KEYS[1], owner))
			  for i = 1, holds or 0 do
			    left = math.max(left, redis.call('pttl', ARGV[4] .. owner .. ARGV[5] .. i))
			  end
			end
			if left > 0 then
			  redis.call('pexpire', KEYS[1], left)
			else
			  redis.call('del', KEYS[1])
			end
			redis.pcall(ARGV[6], ARGV[2], reading and 0 or 1)
			redis.pcall(ARGV[6], ARGV[3], 0)
			return had"""),

	/**
	 * Leaves the queue of a fair lock, and gives the lock back if it was granted
	 * meanwhile. Keys: lock, queue, times. Argument: owner.
	 */
	LEAVE_QUEUE("""
			redis.call('lrem', KEYS[2], 0, ARGV[1])
			redis.call('zrem', KEYS[3], ARGV[1])
			if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('del', KEYS[1]) end
			return 1"""),

	/**
	 * Writes a value if no higher token was seen, and notes the token. Without a value
	 * the key is deleted. Keys: the key, its highest token. Arguments: token, value.
	 */
	FENCED_WRITE("""
			local highest = tonumber(redis.call('get', KEYS[2]) or '0')
			if highest > tonumber(ARGV[1]) then return highest end
			redis.call('set', KEYS[2], ARGV[1])
			if ARGV[2] then redis.call('set', KEYS[1], ARGV[2]) else redis.call('del', KEYS[1]) end
			return 0""");

	private final String source;

	RedissonScript(String source) {
		this.source = source;
	}

	CompletionStage<Long> run(RScriptAsync scripts, List<Object> keys, Object... arguments) {
		return scripts.evalAsync(RScript.Mode.READ_WRITE, this.source, RScript.ReturnType.LONG, keys, arguments);
	}

}
