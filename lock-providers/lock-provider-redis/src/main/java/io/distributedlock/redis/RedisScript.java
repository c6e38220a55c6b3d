package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What the server does in one step. Each script may be executed twice for one call, as a
 * client does that sends a command anew after its connection was lost: the second time
 * changes nothing.
 */
enum RedisScript {

	/**
	 * Takes the lock for an owner and gives it a token: the number after the last one, or
	 * the server's clock in microseconds if that is higher. So tokens rise also after the
	 * counter was lost or has expired, or a replica took over that had not seen the last
	 * ones. The lock is written last: a script that fails has taken nothing. Arguments:
	 * owner, lease in milliseconds, time to live of the counter.
	 */
	ACQUIRE(Parts.OWNER + Parts.NEXT_TOKEN + """
			if owner and owner ~= ARGV[1] then return 0 end
			local token = next_token(owner, ARGV[3])
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return token"""),

	/**
	 * Lets the lease run anew. Arguments: owner, lease in milliseconds.
	 */
	RENEW(Parts.OWNER + """
			if owner == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return 0"""),

	/**
	 * Gives the lock back and tells those who wait. A user who may not publish still
	 * releases. Argument: owner.
	 */
	RELEASE(Parts.OWNER + """
			if owner ~= ARGV[1] then return 0 end
			redis.call('del', KEYS[1])
			redis.pcall('publish', KEYS[1], '')
			return 1"""),

	/**
	 * Takes a share: adds the owner to a set of owners by their expiry, unless it is
	 * full, or the key is held by one owner alone. The set expires with its last owner.
	 * Arguments: owner, lease in milliseconds, time to live of the counter, how many
	 * owners there may be, 0 for any number.
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
	 * Lets a share run anew. A writer who only reads from now on gets its share with
	 * that, and those who wait are told. Arguments: owner, lease in milliseconds.
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
	 * Gives a share back, or what a writer has that was to get one. Arguments: owner, the
	 * channel of those who wait.
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
	 * Takes the lock for an owner, without a token. Arguments: owner, lease in
	 * milliseconds.
	 */
	TAKE(Parts.OWNER + """
			if owner and owner ~= ARGV[1] then return 0 end
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return 1"""),

	/**
	 * Takes the lock for whoever is first in the queue. The queue is a set by tickets,
	 * beside one by the times until which its members count as alive; both expire with
	 * the last of these. Who has the lock already gets its token again, whoever waits
	 * behind: the first answer was lost. Keys: the lock, its counter, the queue, the
	 * times. Arguments: owner, lease in milliseconds, time to live of the counter, for
	 * how long the owner counts as alive, 0 for one that does not queue.
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
	 * Leaves the queue, and gives the lock back if it was granted meanwhile. Keys: the
	 * lock, the queue, the times. Argument: owner.
	 */
	LEAVE_QUEUE(Parts.OWNER + """
			redis.call('zrem', KEYS[2], ARGV[1])
			redis.call('zrem', KEYS[3], ARGV[1])
			if owner == ARGV[1] then redis.call('del', KEYS[1]) end
			redis.pcall('publish', KEYS[1], '')
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

	private final String digest;

	RedisScript(String source) {
		this.source = source;
		this.digest = sha1(source);
	}

	String source() {
		return this.source;
	}

	String digest() {
		return this.digest;
	}

	/**
	 * Parts of the scripts. In a class of its own, as an enumeration's constants come
	 * before its other fields.
	 */
	static final class Parts {

		/**
		 * Who holds the key alone; a set of owners is another one. What is neither a
		 * lock's key nor a set is an error.
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
		 * A token for an owner who is new; else the one it was given.
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
		 * Drops owners whose lease has ended, and notes whether one holds the key alone.
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

	private static String sha1(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
