package io.distributedlock.redis;

import io.distributedlock.spi.support.redis.RedisFencedWrite;
import io.distributedlock.spi.support.redis.ScriptDigest;

/**
 * The scripts, each of which Redis executes in one step. A client that has lost its
 * connection sends a command again, so a script may be executed twice for one call: the
 * second time must change nothing.
 * <p>
 * Why: docs/decisions/030-redis-readers-share-the-key.md,
 * docs/decisions/031-tokens-start-at-the-clock.md
 */
enum RedisScript {

	/**
	 * Sets the owner of a free lock and counts a token: the last one plus one, or the
	 * server's clock in microseconds if that is higher. So tokens rise although the
	 * counter was lost or has expired, or a replica that had not seen the last tokens has
	 * become the primary. The lock is written last, so that a script that fails has not
	 * taken it. Arguments: owner, lease in milliseconds, time to live of the counter.
	 */
	ACQUIRE(Parts.OWNER + Parts.NEXT_TOKEN + """
			if owner and owner ~= ARGV[1] then return 0 end
			local token = next_token(owner, ARGV[3])
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return token"""),

	/**
	 * Renews the lease. Arguments: owner, lease in milliseconds.
	 */
	RENEW(Parts.OWNER + """
			if owner == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return 0"""),

	/**
	 * Releases the lock and publishes that. The release also succeeds for a user without
	 * the right to publish. Argument: owner.
	 */
	RELEASE(Parts.OWNER + """
			if owner ~= ARGV[1] then return 0 end
			redis.call('del', KEYS[1])
			redis.pcall('publish', KEYS[1], '')
			return 1"""),

	/**
	 * Takes a share of the lock: adds the owner to a sorted set of owners by expiry,
	 * unless the set is full or one owner has the key exclusively. The set expires with
	 * its last owner. Arguments: owner, lease in milliseconds, time to live of the
	 * counter, the most owners that there may be, 0 for any number.
	 */
	ACQUIRE_SHARE(Parts.SHARES + Parts.NEXT_TOKEN + """
			if exclusive then return 0 end
			local owner = redis.call('zscore', KEYS[1], ARGV[1])
			local limit = tonumber(ARGV[4])
			if not owner and limit > 0 and redis.call('zcard', KEYS[1]) >= limit then return 0 end
			local token = next_token(owner, ARGV[3])
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			return token"""),

	/**
	 * Renews a share. If the owner is a writer, it is downgraded: it gets a share in
	 * place of the exclusive lock, and that is published. Arguments: owner, lease in
	 * milliseconds.
	 */
	RENEW_SHARE(Parts.SHARES + """
			if exclusive then
			  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
			  redis.call('del', KEYS[1])
			elseif not redis.call('zscore', KEYS[1], ARGV[1]) then
			  return 0
			end
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			if exclusive then redis.pcall('publish', KEYS[1], '') end
			return 1"""),

	/**
	 * Releases a share, or the exclusive lock of a writer whose downgrade has not reached
	 * the server. Arguments: owner, the channel to publish on.
	 */
	RELEASE_SHARE(Parts.SHARES + """
			if exclusive then
			  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
			  redis.call('del', KEYS[1])
			else
			  if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end
			  expire_with_last()
			end
			redis.pcall('publish', ARGV[2], '')
			return 1"""),

	/**
	 * Sets the owner of a free lock, without a token. Arguments: owner, lease in
	 * milliseconds.
	 */
	TAKE(Parts.OWNER + """
			if owner and owner ~= ARGV[1] then return 0 end
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return 1"""),

	/**
	 * Takes the lock for the first owner in the queue. The queue is a set sorted by
	 * ticket number. A second set has the times until which its members count as alive.
	 * Both sets expire with the last of these times. An owner that has the lock already
	 * gets its token again, as the first answer was lost. Keys: the lock, its counter,
	 * the queue, the times. Arguments: owner, lease in milliseconds, time to live of the
	 * counter, for how long the owner counts as alive, 0 for an owner that does not
	 * queue.
	 */
	ACQUIRE_IN_TURN(Parts.OWNER + Parts.NOW + Parts.NEXT_TOKEN + """
			for _, dead in ipairs(redis.call('zrangebyscore', KEYS[4], '-inf', now)) do
			  redis.call('zrem', KEYS[3], dead)
			  redis.call('zrem', KEYS[4], dead)
			end
			local mine = owner == ARGV[1]
			local alive = tonumber(ARGV[4])
			if alive > 0 and not mine then
			  if not redis.call('zscore', KEYS[3], ARGV[1]) then
			    local last = redis.call('zrange', KEYS[3], -1, -1, 'WITHSCORES')
			    redis.call('zadd', KEYS[3], (last[2] or 0) + 1, ARGV[1])
			  end
			  redis.call('zadd', KEYS[4], now + alive, ARGV[1])
			  local till = redis.call('zrange', KEYS[4], -1, -1, 'WITHSCORES')[2]
			  redis.call('pexpireat', KEYS[3], till)
			  redis.call('pexpireat', KEYS[4], till)
			end
			local first = redis.call('zrange', KEYS[3], 0, 0)[1]
			if not mine and (owner or (first and first ~= ARGV[1])) then return 0 end
			local token = next_token(owner, ARGV[3])
			redis.call('zrem', KEYS[3], ARGV[1])
			redis.call('zrem', KEYS[4], ARGV[1])
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return token"""),

	/**
	 * Leaves the queue, and releases the lock if it was granted meanwhile. Keys: the
	 * lock, the queue, the times. Argument: owner.
	 */
	LEAVE_QUEUE(Parts.OWNER + """
			redis.call('zrem', KEYS[2], ARGV[1])
			redis.call('zrem', KEYS[3], ARGV[1])
			if owner == ARGV[1] then redis.call('del', KEYS[1]) end
			redis.pcall('publish', KEYS[1], '')
			return 1"""),

	/**
	 * Writes a value of a fenced resource.
	 */
	FENCED_WRITE(RedisFencedWrite.SCRIPT);

	private final String source;

	private final String digest;

	RedisScript(String source) {
		this.source = source;
		this.digest = ScriptDigest.of(source);
	}

	String source() {
		return this.source;
	}

	String digest() {
		return this.digest;
	}

	/**
	 * Parts of the scripts. They have their own class because an enum's constants cannot
	 * use static fields that are declared after them.
	 */
	static final class Parts {

		/**
		 * The exclusive owner of the key, or {@code shared} if the key is a set of
		 * owners. A key of any other type is an error.
		 */
		static final String OWNER = """
				local owner = redis.pcall('get', KEYS[1])
				if type(owner) == 'table' then
				  if not string.find(owner.err, 'WRONGTYPE') then return owner end
				  if type(redis.pcall('zcard', KEYS[1])) == 'table' then return owner end
				  owner = 'shared'
				end
				""";

		static final String NOW = """
				local time = redis.call('time')
				local now = time[1] * 1000 + math.floor(time[2] / 1000)
				""";

		/**
		 * A new token for an owner that has no lease yet, else the last one.
		 */
		static final String NEXT_TOKEN = """
				local function next_token(owner, ttl)
				  local token = tonumber(redis.call('get', KEYS[2]) or '0')
				  if not owner then
				    local clock = redis.call('time')
				    token = math.max(token + 1, clock[1] * 1000000 + clock[2])
				    redis.call('set', KEYS[2], string.format('%.0f', token), 'PX', ttl)
				  end
				  return token
				end
				""";

		/**
		 * Removes owners whose lease has expired, and sets whether one owner has the key
		 * exclusively.
		 */
		static final String SHARES = NOW + """
				local dropped = redis.pcall('zremrangebyscore', KEYS[1], '-inf', now)
				local exclusive = type(dropped) == 'table'
				if exclusive then
				  if not string.find(dropped.err, 'WRONGTYPE') then return dropped end
				  if type(redis.pcall('get', KEYS[1])) == 'table' then return dropped end
				end
				local function expire_with_last()
				  local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')
				  if last[2] then redis.call('pexpireat', KEYS[1], last[2]) end
				end
				""";

		private Parts() {
		}

	}

}
