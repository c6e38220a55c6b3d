package io.distributedlock.redis.scripts;

import io.distributedlock.redis.scripts.Script.Answer;

/**
 * The further scripts for the plain layout: writers, readers, permits, and locks on
 * servers that know nothing of each other.
 * <p>
 * Readers and writers are not in the line: they ask, and leave a mark if the lock is
 * taken. A release that finds nobody in the line deletes the mark with the lock, and
 * publishes on the lock's channel only if there was one.
 * <p>
 * Why: docs/decisions/030-redis-readers-share-the-key.md,
 * docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class PlainScripts {

	/**
	 * Changes nothing and answers 1, or fails as {@link ServerAge} reads it if the server
	 * is too old. No keys, no arguments. A user that may run scripts may run this one,
	 * also without the rights to {@code PING} and {@code INFO}. {@code GETDEL} came with
	 * Redis 6.2, as {@code SET … GET} did; without arguments it only shows whether it is
	 * known.
	 */
	public static final Script PING = new Script(Answer.NUMBER, """
			if redis.REDIS_VERSION == nil then
				local answer = redis.pcall('getdel')
				if string.find(answer['err'] or '', 'nknown') then
					local info = redis.pcall('info', 'server')
					local version = type(info) == 'string' and string.match(info, 'redis_version:([%d.]+)')
					return redis.error_reply('TOOOLD ' .. (version or 'unknown'))
				end
			end
			return 1
			""");

	/**
	 * Takes a free lock, whether others are in its line or not. Keys: the lock, the
	 * counter. Arguments and answer as those of {@link LockScripts#acquire()}.
	 */
	public static final Script ACQUIRE_WRITE = script("""
			<names>
			<holder>
			if holder and holder ~= ARGV[1] then
			  <note waiters>
			  return 0
			end
			local owner = ARGV[1]
			local ms, n = string.match(ARGV[2], '^(%d+) (%d+)')
			local time = redis.call('time')
			local token
			<count>
			<take>
			return redis.call('exists', line, tag .. ':mark') > 0 and -token or token""");

	/**
	 * Takes a share of the lock: adds the owner to a sorted set of owners by expiry,
	 * unless one owner has the key exclusively. The set expires with its last owner.
	 * Keys: the lock, the counter. Arguments: owner, lease in milliseconds. Answers the
	 * token, or 0 if the lock is taken.
	 */
	public static final Script ACQUIRE_READ = script(Parts.SHARES + """
			if exclusive then
			  local holder = redis.call('get', KEYS[1])
			  <note waiters>
			  return 0
			end
			local n = 1
			local token
			<count>
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			return token""");

	/**
	 * Renews a share. If the owner is a writer, it is downgraded: it gets a share in
	 * place of the exclusive lock, and that is published. Keys: the lock. Arguments:
	 * owner, lease in milliseconds. Answers 1 if the owner had the lock.
	 */
	public static final Script RENEW_READ = script(Parts.SHARES + """
			if exclusive then
			  if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
			  redis.call('del', KEYS[1])
			elseif not redis.call('zscore', KEYS[1], ARGV[1]) then
			  return 0
			end
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			if exclusive and redis.call('del', tag .. ':mark') == 1 then redis.pcall('publish', KEYS[1], '') end
			return 1""");

	/**
	 * Releases a share, or the exclusive lock of a writer whose downgrade has not reached
	 * the server. Keys: the lock, the counter. Argument: owner. Answers as
	 * {@link LockScripts#release()}.
	 */
	public static final Script RELEASE_READ = script(Parts.SHARES + """
			local holder = false
			if exclusive then
			  holder = redis.call('get', KEYS[1])
			  if holder ~= ARGV[1] then return 0 end
			elseif redis.call('zrem', KEYS[1], ARGV[1]) == 0 then
			  return 0
			elseif redis.call('zcard', KEYS[1]) > 0 then
			  expire_with_last()
			  return 1
			end
			local grants = 1
			local granted
			local unheard
			<hand over>
			if not granted then
			  <free>
			end
			return unheard and 2 or 1""");

	/**
	 * Takes a permit, if there are fewer owners than permits. Keys: the owners of
	 * permits, a mark that somebody waits for one. Arguments: owner, lease in
	 * milliseconds, the number of permits. Answers 1, or 0 if no permit is free.
	 */
	public static final Script ACQUIRE_PERMIT = script(Parts.PERMITS + """
			if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
			  redis.pcall('set', KEYS[2], 1, 'PX', 600000)
			  return 0
			end
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			return 1""");

	/**
	 * Renews a permit. Keys: the owners of permits. Arguments: owner, lease in
	 * milliseconds. Answers 1 if the owner had a permit.
	 */
	public static final Script RENEW_PERMIT = script(Parts.PERMITS + """
			if not redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			expire_with_last()
			return 1""");

	/**
	 * Releases a permit. Keys: the owners of permits, that mark. Arguments: owner, the
	 * channel to publish on. Answers as {@link LockScripts#release()}.
	 */
	public static final Script RELEASE_PERMIT = script(Parts.PERMITS + """
			if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end
			expire_with_last()
			local unheard
			if redis.call('del', KEYS[2]) == 1 then unheard = type(redis.pcall('publish', ARGV[2], '')) == 'table' end
			return unheard and 2 or 1""");

	/**
	 * Sets the owner of a free lock, without a token and without a line. Key: the lock.
	 * Arguments: owner, lease in milliseconds. Answers 1, or 0 if the lock is taken.
	 */
	public static final Script TAKE = script("""
			<holder>
			if holder and holder ~= ARGV[1] then return 0 end
			redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
			return 1""");

	/**
	 * Renews what {@link #TAKE} took. Arguments: owner, lease in milliseconds. Answers 1
	 * if the owner had the lock.
	 */
	public static final Script RENEW_TAKEN = script("""
			<holder>
			if holder == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return 0""");

	/**
	 * Releases what {@link #TAKE} took. Argument: owner. Answers 1 if the owner had the
	 * lock.
	 */
	public static final Script RELEASE_TAKEN = script("""
			<holder>
			if holder == ARGV[1] then return redis.call('del', KEYS[1]) end
			return 0""");

	/**
	 * Lists the owners of a lock and of its permits, and changes nothing. Keys: the lock;
	 * the owners of permits, if they are asked for. No arguments. {@link OwnerAnswer}
	 * reads the answer. Commands for sets run only if there is a set, since a user for
	 * exclusive locks has no right to them.
	 */
	public static final Script OWNERS = new Script(Answer.TEXTS, OwnerAnswer.ADD_ALL + """
			local holder = redis.pcall('get', KEYS[1])
			if type(holder) == 'string' then
			  add(holder, 'EXCLUSIVE', redis.call('pttl', KEYS[1]))
			elseif type(holder) == 'table' then
			  if not string.find(holder.err, 'WRONGTYPE', 1, true) then return holder end
			  add_all(KEYS[1], 'READ')
			end
			if KEYS[2] and redis.call('exists', KEYS[2]) == 1 then add_all(KEYS[2], 'SEMAPHORE') end
			return answer""");

	/**
	 * Writes a value of a fenced resource.
	 */
	public static final Script FENCED_WRITE = script(RedisFencedWrite.SCRIPT);

	private PlainScripts() {
	}

	private static Script script(String source) {
		return new Script(Answer.NUMBER, LuaParts.fill(source, Layout.PLAIN));
	}

	/**
	 * Parts of the scripts. They have their own class because a constant cannot use one
	 * that is declared after it.
	 */
	private static final class Parts {

		/**
		 * Lets a set expire with its last owner.
		 */
		static final String EXPIRE_WITH_LAST = """
				local function expire_with_last()
				  local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')
				  if last[2] then redis.call('pexpireat', KEYS[1], last[2]) end
				end
				""";

		static final String NOW = """
				local time = redis.call('time')
				local now = time[1] * 1000 + math.floor(time[2] / 1000)
				""";

		/**
		 * Removes readers whose lease has expired, and sets whether one owner has the key
		 * exclusively.
		 */
		static final String SHARES = "<names>\n" + NOW + """
				local dropped = redis.pcall('zremrangebyscore', KEYS[1], '-inf', now)
				local exclusive = type(dropped) == 'table'
				if exclusive then
				  if not string.find(dropped.err, 'WRONGTYPE') then return dropped end
				  if type(redis.pcall('get', KEYS[1])) == 'table' then return dropped end
				end
				""" + EXPIRE_WITH_LAST;

		/**
		 * Removes owners of permits whose lease has expired.
		 */
		static final String PERMITS = NOW + """
				redis.call('zremrangebyscore', KEYS[1], '-inf', now)
				""" + EXPIRE_WITH_LAST;

		private Parts() {
		}

	}

}
