package io.distributedlock.redisson;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.RedisFencedWrite;
import io.distributedlock.redis.scripts.ScriptDigest;
import io.distributedlock.redis.scripts.TokenCounters;

/**
 * The scripts of all lock types but the exclusive one, each of which Redis executes in
 * one step, for the key layout of Redisson's own locks. A script may be executed twice
 * for one call: the second time must change nothing. A call that was given up may be
 * executed late: the mark of its owner, which was removed meanwhile, refuses it.
 * <p>
 * When memory is full, Redis refuses a command that may need more of it, unless the
 * script has written before. So scripts that renew or release start with a write that
 * needs no memory, and scripts that acquire do not.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md,
 * docs/decisions/029-redis-out-of-memory.md,
 * docs/decisions/031-tokens-start-at-the-clock.md
 */
enum RedissonScript implements LuaScript {

	/**
	 * Takes a write lock: a hash with the owner as a field. Keys: lock, counter, mark.
	 * Arguments: owner, lease, time to live of the counter, the mode. Answers 0 if the
	 * lock is taken, and {@link LockScripts#IN_LINE_BEHIND_OTHERS} if somebody by hand
	 * has it, or it is free for them for a moment.
	 */
	ACQUIRE(Parts.NEXT_TOKEN + Parts.REFUSAL + """
			local taken = redis.call('exists', KEYS[1]) == 1
			if taken and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return refusal() end
			if taken and ARGV[4] and redis.call('hget', KEYS[1], 'mode') == 'read' then return 0 end
			if redis.call('exists', KEYS[3]) == 1 then return 0 end
			if not taken and redis.call('exists', moment) == 1 then return behind end
			local token = next_token(ARGV[3])
			-- a user without the right to set an expiry fails here, before anything is written
			redis.call('pexpire', KEYS[1], ARGV[2])
			redis.call('hset', KEYS[1], ARGV[1], 1)
			if ARGV[4] then redis.call('hset', KEYS[1], 'mode', ARGV[4]) end
			redis.call('pexpire', KEYS[1], ARGV[2])
			return token"""),

	/**
	 * Takes a read lock: a field in the hash, and a key that expires with this lease.
	 * Keys: lock, counter, mark, the reader's own. Arguments: owner, lease, time to live
	 * of the counter. Answers as {@link #ACQUIRE}.
	 */
	ACQUIRE_READ(Parts.NEXT_TOKEN + Parts.REFUSAL + """
			local taken = redis.call('exists', KEYS[1]) == 1
			if taken and redis.call('hget', KEYS[1], 'mode') ~= 'read' then return refusal() end
			if redis.call('exists', KEYS[3]) == 1 then return 0 end
			if not taken and redis.call('exists', moment) == 1 then return behind end
			local token = next_token(ARGV[3])
			redis.call('set', KEYS[4], 1, 'PX', ARGV[2])
			redis.call('hset', KEYS[1], 'mode', 'read', ARGV[1], 1)
			redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), ARGV[2]))
			return token"""),

	/**
	 * Takes a fair lock for the first owner in its queue. The queue is a list of owners;
	 * a sorted set has the times until which they count as alive. Keys: lock, counter,
	 * mark, queue, times, the moment. Arguments: owner, lease, time to live of the
	 * counter, for how long the owner counts as alive, 0 for an owner that does not
	 * queue; the command to publish and the channel, to wake the first if the lock is
	 * free for it. Answers 0 if others are in front; less 1 if one of them uses Redisson
	 * by hand; less 2 if the owner is the first in the queue, and the lock is in such
	 * hands or free for them. Who asks is alive, whatever became of its time. The queue
	 * lives as long as the counter after its last place, since code by hand joins it
	 * without an expiry.
	 */
	ACQUIRE_IN_TURN(Parts.NEXT_TOKEN + Parts.FIRST_ALIVE + Parts.BEHIND_BY_HAND + Parts.BY_HAND + Parts.WAKE + """
			if redis.call('exists', KEYS[3]) == 1 then return 0 end
			local queues = ARGV[4] ~= '0'
			local behind, known = 0, redis.call('zscore', KEYS[5], ARGV[1])
			if queues then
			  behind = behind_by_hand(KEYS[4], KEYS[5], ARGV[4], known)
			  if known then redis.call('zadd', KEYS[5], now + ARGV[4] + behind, ARGV[1]) end
			end
			local first = first_alive(KEYS[4], KEYS[5])
			local mine = redis.call('hexists', KEYS[1], ARGV[1]) == 1
			local free = redis.call('exists', KEYS[1]) == 0
			local next = not first or first == ARGV[1]
			if mine or free and next and redis.call('exists', KEYS[6]) == 0 then
			  local token = next_token(ARGV[3])
			  redis.call('pexpire', KEYS[1], ARGV[2])
			  redis.call('hset', KEYS[1], ARGV[1], 1, 'mode', 'write')
			  redis.call('pexpire', KEYS[1], ARGV[2])
			  redis.call('lrem', KEYS[4], 0, ARGV[1])
			  redis.call('zrem', KEYS[5], ARGV[1])
			  return token
			end
			local by_hand = is_by_hand()
			if by_hand then redis.call('del', KEYS[6]) end
			if queues then
			  if not known then redis.call('zadd', KEYS[5], now + ARGV[4] + behind, ARGV[1]) end
			  if not known or not first then redis.call('rpush', KEYS[4], ARGV[1]) end
			  local last = redis.call('zrange', KEYS[5], -1, -1, 'WITHSCORES')[2]
			  local left = math.max(last - now, 0) + ARGV[3]
			  redis.call('pexpire', KEYS[4], left)
			  redis.call('pexpire', KEYS[5], left)
			  if first and not next and known and free then wake(ARGV[5], ARGV[6], first) end
			  return ((by_hand or behind > 0) and -1 or 0) - (next and (free or by_hand) and 2 or 0)
			end
			return 0"""),

	/**
	 * Takes a permit of a semaphore: counts the number of free permits down, and adds the
	 * owner to a set sorted by the ends of the leases. The first caller sets the number.
	 * A caller that finds no free permit, and asks with another number of permits, sets
	 * it again. The number expires some time after the last lease, unless it was set by
	 * hand without an expiry. Keys: number, owners, mark. Arguments: owner, lease, the
	 * time after the last lease, number of permits, the command to publish, the channels
	 * of Redisson's waiters and of ours.
	 */
	ACQUIRE_PERMIT(Parts.PERMITS + """
			if redis.call('exists', KEYS[3]) == 1 then return 0 end
			if redis.call('zcount', KEYS[2], '-inf', now) > 0 then collect() end
			if not redis.call('zscore', KEYS[2], ARGV[1]) then
			  local free = tonumber(redis.call('get', KEYS[1]))
			  local rest = ARGV[4] - redis.call('zcard', KEYS[2])
			  if not free then
			    redis.call('set', KEYS[1], rest, 'PX', ARGV[3])
			    free = rest
			  elseif free < 1 and free ~= rest then
			    redis.call('incrby', KEYS[1], rest - free)
			    free = rest
			    tell_free(free - 1)
			  end
			  if free < 1 then return 0 end
			  redis.call('decrby', KEYS[1], 1)
			end
			redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
			expire_after_last(ARGV[3])
			return 1"""),

	/**
	 * Renews an exclusive lock. The renewal of a writer may arrive after its downgrade;
	 * it is refused by its mode, as it could shorten the leases of other readers. Keys:
	 * lock. Arguments: owner, lease, the mode if it is a write lock.
	 */
	RENEW("""
			if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
			if ARGV[3] and redis.call('hget', KEYS[1], 'mode') ~= ARGV[3] then return 0 end
			return redis.call('pexpire', KEYS[1], ARGV[2])"""),

	/**
	 * Renews a read lock, unless its lease has expired while other readers kept the lock.
	 * If the owner is a writer, it is downgraded to a reader, and that is published.
	 * Keys: lock, the reader's own. Arguments: owner, lease, the command to publish, the
	 * parts before and after an owner in the name of its key, and pairs of a channel and
	 * a message.
	 */
	RENEW_READ(Parts.LAST_READER + """
			if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
			local writer = redis.call('hget', KEYS[1], 'mode') == 'write'
			if not writer and redis.call('pexpire', KEYS[2], ARGV[2]) == 0 then return 0 end
			if writer then
			  redis.call('pexpire', KEYS[1], ARGV[2])
			  redis.call('set', KEYS[2], 1, 'PX', ARGV[2])
			  redis.call('hset', KEYS[1], 'mode', 'read')
			  for i = 6, #ARGV, 2 do redis.pcall(ARGV[3], ARGV[i], ARGV[i + 1]) end
			elseif redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
			  redis.call('pexpire', KEYS[1], ARGV[2])
			else
			  redis.call('pexpire', KEYS[1], last_reader(ARGV[4], ARGV[5]))
			end
			return 1"""),

	/**
	 * Renews a permit. Keys: number, owners. Arguments: owner, lease, the time after the
	 * last lease, nothing, the command to publish, the two channels.
	 */
	RENEW_PERMIT(Parts.PERMITS + """
			collect()
			if not redis.call('zscore', KEYS[2], ARGV[1]) then return 0 end
			redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
			expire_after_last(ARGV[3])
			return 1"""),

	/**
	 * Releases the lock of a writer and publishes that, also to the first in the queue of
	 * a fair lock. The release also succeeds for a user without the right to publish; the
	 * answer is then 2 instead of 1. Keys: lock, the mark if the owner is to be refused
	 * from now on. Arguments: owner, the command to publish, the queue of a fair lock,
	 * the channels of the lock and of read and write locks.
	 */
	RELEASE(Parts.WAKE_QUEUED + Parts.LET_BY_HAND_IN + """
			local had = redis.call('hexists', KEYS[1], ARGV[1])
			if had == 1 then
			  redis.call('del', KEYS[1])
			  if not tell(ARGV[2], ARGV[4], 0) then had = 2 end
			  if not tell(ARGV[2], ARGV[5], 1) then had = 2 end
			  let_by_hand_in(ARGV[2], ARGV[5])
			  wake_queued(ARGV[2], ARGV[4], ARGV[3])
			end
			""" + Parts.mark(2) + "return had"),

	/**
	 * Releases a read lock, or the lock of a writer whose downgrade has not reached the
	 * server. Removes readers whose lease has expired, and lets the lock expire with the
	 * last of the others. Keys: lock, the reader's own, the mark. Arguments: owner, the
	 * command to publish, the parts before and after an owner in the name of its key, the
	 * channels of the lock and of read and write locks, the queue of a fair lock. Answers
	 * 2 instead of 1 if the server refuses to publish.
	 */
	RELEASE_READ(Parts.LAST_READER + Parts.WAKE_QUEUED + Parts.LET_BY_HAND_IN + """
			local had = 0
			local mode = redis.call('hget', KEYS[1], 'mode')
			if mode == 'write' and redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
			  had = redis.call('del', KEYS[1])
			  if not tell(ARGV[2], ARGV[5], 0) then had = 2 end
			  if not tell(ARGV[2], ARGV[6], 1) then had = 2 end
			elseif mode == 'read' and redis.call('hdel', KEYS[1], ARGV[1]) == 1 then
			  had = redis.call('del', KEYS[2])
			  local left = last_reader(ARGV[3], ARGV[4])
			  if left > 0 then
			    redis.call('pexpire', KEYS[1], left)
			  else
			    redis.call('del', KEYS[1])
			    for i = 5, 6 do had = tell(ARGV[2], ARGV[i], 0) and had or 2 end
			  end
			end
			if had > 0 and redis.call('exists', KEYS[1]) == 0 then
			  let_by_hand_in(ARGV[2], ARGV[6])
			  wake_queued(ARGV[2], ARGV[5], ARGV[7])
			end
			""" + Parts.mark(3) + "return had"),

	/**
	 * Releases a fair lock or leaves its queue. Publishes that to the next owner in the
	 * queue. If the queue is empty, and at one release of four, it also publishes on the
	 * channels of other locks: if somebody hears that, the lock is free for them for a
	 * moment. Keys: lock, queue, times, the moment, the mark. Arguments: owner, the
	 * command to publish, the channel, the channel of read and write locks. Answers 2
	 * instead of 1 if the server refuses to publish.
	 */
	RELEASE_IN_TURN(Parts.FIRST_ALIVE + Parts.WAKE + Parts.IS_HEARD + """
			local had = redis.call('hexists', KEYS[1], ARGV[1])
			if had == 1 then redis.call('del', KEYS[1]) end
			local left = redis.call('lrem', KEYS[2], 0, ARGV[1])
			redis.call('zrem', KEYS[3], ARGV[1])
			if had + left > 0 and redis.call('exists', KEYS[1]) == 0 then
			  local first = first_alive(KEYS[2], KEYS[3])
			  local heard = not first or wake(ARGV[2], ARGV[3], first)
			  if not first or had == 1 and time[2] % 4 == 0 then
			    local others = redis.pcall(ARGV[2], ARGV[3], 0)
			    heard = heard and type(others) ~= 'table'
			    local told = (tonumber(others) or 0) + (tonumber(redis.pcall(ARGV[2], ARGV[4], 1)) or 0)
			    if told > 0 and is_heard(ARGV[2], ARGV[3], ARGV[4]) then redis.pcall('set', KEYS[4], 1, 'PX', 30) end
			  end
			  if not heard then had = had * 2 end
			end
			""" + Parts.mark(5) + "return had"),

	/**
	 * Releases a permit. Keys: number, owners, the mark. Arguments as for renewal.
	 * Answers 2 instead of 1 if the server refuses to publish.
	 */
	RELEASE_PERMIT(Parts.PERMITS + """
			collect()
			local had = redis.call('zrem', KEYS[2], ARGV[1])
			if had == 1 and redis.call('exists', KEYS[1]) == 1 then tell_free(redis.call('incrby', KEYS[1], 1)) end
			if had == 1 and not heard then had = 2 end
			""" + Parts.mark(3) + "return had"),

	/**
	 * Writes a value of a fenced resource.
	 */
	FENCED_WRITE(RedisFencedWrite.SCRIPT);

	private final String source;

	private final String digest;

	RedissonScript(String source) {
		this.source = source;
		this.digest = ScriptDigest.of(source);
	}

	@Override
	public String source() {
		return this.source;
	}

	@Override
	public String digest() {
		return this.digest;
	}

	/**
	 * Parts of the scripts. They have their own class because an enum's constants cannot
	 * use static fields that are declared after them.
	 */
	static final class Parts {

		/**
		 * A token from the counter. A counter without an expiry belongs to code that uses
		 * Redisson by hand, which counts up by one: so does this function. In any other
		 * counter the token is at least the server's clock in microseconds, so that
		 * tokens rise although the counter was lost or has expired.
		 */
		static final String NEXT_TOKEN = """
				local function next_token(ttl)
				  local left = redis.call('pttl', KEYS[2])
				  if left == -1 then return redis.call('incr', KEYS[2]) end
				  local clock = redis.call('time')
				  local last = tonumber(redis.call('get', KEYS[2]) or '0')
				  local token = math.max(last + 1, clock[1] * 1000000 + clock[2])
				  redis.call('set', KEYS[2], string.format('%.0f', token), 'PX', math.max(left, ttl))
				  return token
				end
				""";

		static final String NOW = """
				local time = redis.call('time')
				local now = time[1] * 1000 + math.floor(time[2] / 1000)
				""";

		/**
		 * The first owner in a queue. Owners before it that no longer count as alive are
		 * removed.
		 */
		static final String FIRST_ALIVE = NOW + """
				local function first_alive(queue, times)
				  while true do
				    local first = redis.call('lindex', queue, 0)
				    if not first then return first end
				    local till = redis.call('zscore', times, first)
				    if till and tonumber(till) > now then return first end
				    redis.call('lpop', queue)
				    redis.call('zrem', times, first)
				  end
				end
				""";

		/**
		 * Publishes a message. Answers whether the server has, which it does not for a
		 * user without the right to it.
		 */
		static final String TELL = """
				local function tell(publish, channel, message)
				  return type(redis.pcall(publish, channel, message)) ~= 'table'
				end
				""";

		/**
		 * Tells the first owner in a queue that it may ask: one by hand on its own
		 * channel, one of this library by its name on the channel of its JVM, which is no
		 * sharded one. Answers whether the server has published that.
		 */
		static final String WAKE = TELL + """
				local function wake(publish, channel, first)
				  local jvm = string.match(first, '^([^:]+)%-%x+$')
				  if jvm then return tell('publish', '<channels>' .. jvm, first) end
				  return tell(publish, channel .. ':' .. first, 0)
				end
				""".replace("<channels>", TokenCounters.REDISSON_CHANNELS);

		/**
		 * Tells the first owner in the queue of a fair lock, if the user may see it: that
		 * is not among the rights for other locks.
		 */
		static final String WAKE_QUEUED = WAKE + """
				local function wake_queued(publish, channel, queue)
				  local first = redis.pcall('lindex', queue, 0)
				  if type(first) == 'string' then wake(publish, channel, first) end
				end
				""";

		/**
		 * Whether a client listens to one of two channels. The number of receivers of a
		 * message also counts those that listen to a pattern, and they wait for no lock.
		 */
		static final String IS_HEARD = """
				local function is_heard(publish, channel, other)
				  local count = string.lower(publish) == 'spublish' and 'shardnumsub' or 'numsub'
				  local listeners = redis.pcall('pubsub', count, channel, other)
				  return not listeners[2] or listeners[2] + listeners[4] > 0
				end
				""";

		/**
		 * The time until the last reader's lease expires. Readers whose lease has expired
		 * are removed.
		 */
		static final String LAST_READER = """
				local function last_reader(before, behind)
				  local left = 0
				  for _, owner in ipairs(redis.call('hkeys', KEYS[1])) do
				    local alive = 0
				    local holds = tonumber(redis.call('hget', KEYS[1], owner))
				    for i = 1, holds or 0 do
				      alive = math.max(alive, redis.call('pttl', before .. owner .. behind .. i))
				    end
				    if holds and alive == 0 then redis.call('hdel', KEYS[1], owner) end
				    left = math.max(left, alive)
				  end
				  return left
				end
				""";

		/**
		 * Whether somebody who uses Redisson by hand has the lock.
		 */
		static final String BY_HAND = """
				local function is_by_hand()
				  return string.find(table.concat(redis.call('hkeys', KEYS[1]), ' '), ':', 1, true)
				end
				""";

		static final String MOMENT = """
				local moment = (string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}') .. ':free'
				""";

		/**
		 * What an attempt outside queues answers that finds the lock taken.
		 */
		static final String REFUSAL = BY_HAND + MOMENT + """
				local behind = <behind others>
				local function refusal()
				  if not is_by_hand() then return 0 end
				  redis.call('del', moment)
				  return behind
				end
				""".replace("<behind others>", Long.toString(LockScripts.IN_LINE_BEHIND_OTHERS));

		/**
		 * At one release of four, keeps the free lock for a moment for those who wait for
		 * a read or write lock by hand. Calls of this library listen to their channel
		 * only once they have seen somebody by hand.
		 */
		static final String LET_BY_HAND_IN = MOMENT + IS_HEARD + """
				local function let_by_hand_in(publish, shared)
				  if redis.call('time')[2] % 4 == 0 and is_heard(publish, shared, shared) then
				    redis.pcall('set', moment, 1, 'PX', 30)
				  end
				end
				""";

		/**
		 * How long the owners before this one may take that wait by hand. When Redisson
		 * grants one of them the lock, it subtracts the time that this owner could have
		 * waited from the times of all owners after it, however long it has waited of
		 * that: so five minutes are added, for which an owner by hand waits unless told
		 * otherwise. A place that is known looks at the queue only if some time is later
		 * than ours could be without that.
		 */
		static final String BEHIND_BY_HAND = """
				local function behind_by_hand(queue, times, alive, known)
				  local last = redis.call('zrange', times, -1, -1, 'WITHSCORES')[2]
				  if not last or (known and last - now <= tonumber(alive)) then return 0 end
				  local till = now
				  for _, other in ipairs(redis.call('lrange', queue, 0, -1)) do
				    if other == ARGV[1] then break end
				    if string.find(other, ':', 1, true) then till = tonumber(redis.call('zscore', times, other) or now) end
				  end
				  return (till > now) and till - now + 300000 or 0
				end
				""";

		/**
		 * Releases permits whose lease has expired. The set of owners expires after the
		 * number: without the set, permits that are counted as taken would be lost.
		 */
		static final String PERMITS = NOW + TELL
				+ """
						local by_hand = redis.call('pttl', KEYS[1]) == -1
						local heard = true
						local function tell_free(free)
						  if free < 1 then return end
						  heard = tell(ARGV[5], ARGV[6], free)
						  heard = tell(ARGV[5], ARGV[7], 0) and heard
						end
						local function collect()
						  local ended = redis.call('zremrangebyscore', KEYS[2], '-inf', now)
						  if ended > 0 and redis.call('exists', KEYS[1]) == 1 then tell_free(redis.call('incrby', KEYS[1], ended)) end
						end
						local function expire_after_last(spare)
						  if by_hand then return end
						  local last = redis.call('zrange', KEYS[2], -1, -1, 'WITHSCORES')[2]
						  local left = math.max(last - now, 0) + spare
						  redis.call('pexpire', KEYS[1], left)
						  redis.call('pexpire', KEYS[2], left + 1000)
						end
						""";

		/**
		 * Marks an owner as removed, if the mark is among the keys. An attempt of this
		 * owner that arrives late is refused. The mark expires after two minutes: the
		 * connections over which the attempt was sent are closed by then.
		 * @param key which of the keys is the mark
		 */
		static String mark(int key) {
			return """
					if <mark> then redis.pcall('set', <mark>, 1, 'PX', 120000) end
					""".replace("<mark>", "KEYS[" + key + "]");
		}

		private Parts() {
		}

	}

}
