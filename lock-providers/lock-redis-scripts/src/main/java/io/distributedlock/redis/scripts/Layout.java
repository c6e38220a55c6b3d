package io.distributedlock.redis.scripts;

/**
 * How a lock is kept on the server: the parts of the scripts that differ. Each part is
 * Lua.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @param channels the start of the channels of JVMs
 * @param counter the name of the counter of tokens
 * @param tag the hash tag of the keys that belong to the lock
 * @param busy the keys of which none exists if the lock is free, nobody waits for it, and
 * the owner may have it
 * @param refused says whether an attempt must not succeed any more
 * @param holder sets {@code holder}: the owner, {@code false} if there is none, or
 * something that is no owner's name if the key is shared
 * @param moment sets {@code holder} to a plus if a free lock is not for the line just
 * now. Empty if the layout has no such moment
 * @param take makes {@code owner} the holder for {@code ms} milliseconds, whoever it was
 * before
 * @param count counts {@code n} tokens, of which {@code token} is the first
 * @param sign the sign of the token of a lock for which nobody waits in the line
 * @param inARow after how many grants in a row the lock goes to somebody who waits and is
 * not in the line
 * @param othersWait says whether somebody waits who is not in the line
 * @param mayStay says whether a lock for which nobody waits in the line may go to the
 * next caller of the JVM that releases it, without being free between
 * @param free deletes the lock, and wakes those who wait and are not in the line. Sets
 * {@code unheard} if the server refuses to publish. If others are in the line
 * nevertheless, it may tell the first of them to look
 * @param joinQueue lets the line wait in a queue of others, if they have the lock and
 * such a queue
 * @param leaveQueue takes the line out of that queue
 * @param afterLeaving what else to do once a place has left the line
 * @param noteWaiters what an attempt does that found the lock taken and is not in the
 * line
 * @param forget refuses an attempt of an owner that was removed, if it arrives later
 * @param renew sets {@code renewed}: whether {@code owner} has {@code key}, which then
 * runs for {@code ms} milliseconds
 * @since 0.1
 */
record Layout(String channels, String counter, String tag, String busy, String refused, String holder, String moment,
		String take, String count, String sign, int inARow, String othersWait, String mayStay, String free,
		String joinQueue, String leaveQueue, String afterLeaving, String noteWaiters, String forget, String renew) {

	/**
	 * A string with the owner's name. Readers share the same key as a set.
	 */
	static final Layout PLAIN = plain();

	private static Layout plain() {
		return new Layout("string.match(KEYS[2], '^[^{]*')", "KEYS[2]", "'{' .. KEYS[1] .. '}'", "KEYS[1], line",
				"false", """
						local holder = redis.pcall('get', KEYS[1])
						if type(holder) == 'table' then
						  if not string.find(holder.err, 'WRONGTYPE', 1, true) then return holder end
						  if type(redis.pcall('zcard', KEYS[1])) == 'table' then return holder end
						  holder = ''
						end
						""", "", "redis.call('set', KEYS[1], owner, 'PX', ms)\n", """
						token = time[1] * 1000000 + time[2]
						local last = redis.call('set', <counter>, token + n - 1, 'PX', 86400000, 'GET')
						if last and tonumber(last) >= token then
						  token = last + 1
						  redis.call('set', <counter>, token + n - 1, 'PX', 86400000)
						end
						""", "1", 16, "redis.pcall('exists', tag .. ':mark') ~= 0",
				"redis.pcall('exists', tag .. ':mark') == 0",
				"""
						local gone = redis.pcall('del', KEYS[1], tag .. ':mark')
						if type(gone) == 'table' then
						  -- the slot moves to another node, and the mark is not here: somebody may wait
						  redis.call('del', KEYS[1])
						  gone = 2
						end
						if gone > (holder and 1 or 0) then unheard = type(redis.pcall('publish', KEYS[1], '')) == 'table' end
						""",
				"", "", "", """
						redis.pcall('set', tag .. ':mark', 1, 'PX', 600000)
						local told, id = string.match(holder, '^([^.]+)%.(%S+)$')
						if told then redis.pcall('publish', <channels> .. told, id) end
						""", "", """
						local renewed = redis.pcall('get', key) == owner and redis.call('pexpire', key, ms) == 1
						""");
	}

	/**
	 * Redisson's own: a hash with the owner as a field. Like Redisson's write lock it has
	 * a mode, or Redisson would grant its read and write locks beside it. Since nobody
	 * else enters such a hash, a release deletes it as a whole.
	 * <p>
	 * Owners that wait by hand listen to Redisson's channels, and the holder does not
	 * learn of them: so every holder counts as awaited. If somebody has heard that the
	 * lock is free, no script of this library takes it for a moment, until it was seen in
	 * other hands: threads by hand must wake first. Each lock has the counter of
	 * Redisson's fenced lock. A counter without an expiry was created by hand, and counts
	 * up by one.
	 */
	static final Layout REDISSON = redisson("publish", "numsub");

	/**
	 * The same on a cluster on which Redisson uses sharded channels.
	 */
	static final Layout REDISSON_SHARDED = redisson("spublish", "shardnumsub");

	/**
	 * Lets the whole line wait in the queue of {@code getFairLock}, as one that waits by
	 * hand: whoever releases by hand tells only the next in that queue, so the lock is
	 * free for a moment that the line would hardly ever find. Each grant by hand takes up
	 * to five minutes from the times of those behind it. Nobody is in front of the first,
	 * so its time is as short as that of the line.
	 */
	private static final String JOIN_QUEUE = """
			local front = holder and not string.find(holder, '.', 1, true) and redis.pcall('lindex', <queue>, 0)
			if front == 'line' then
			  redis.pcall('zadd', <times>, till, 'line')
			elseif type(front) == 'string' then
			  local last = redis.pcall('zrange', <times>, -1, -1, 'WITHSCORES')[2]
			  local ends = math.max(last or 0, now) + 300000
			  if redis.pcall('zadd', <times>, 'NX', ends, 'line') == 1 then
			    redis.call('rpush', <queue>, 'line')
			    for _, key in ipairs({ <queue>, <times> }) do redis.call('pexpire', key, ends - now + 86400000) end
			  end
			end
			""";

	private static final String LEAVE_QUEUE = """
			if redis.pcall('lrem', <queue>, 0, 'line') == 1 then redis.pcall('zrem', <times>, 'line') end
			""";

	/**
	 * Tells the first in the queue of {@code getFairLock}, and sets {@code queued} to the
	 * number of receivers.
	 */
	private static final String WAKE_QUEUE = """
			local queued = redis.pcall('lindex', <queue>, 0)
			if queued == 'line' then
			""" + LEAVE_QUEUE + """
			  queued = redis.pcall('lindex', <queue>, 0)
			end
			if type(queued) == 'string' then
			  local jvm = string.match(queued, '^([^:]+)%-%x+$')
			  if jvm then
			    queued = redis.pcall('publish', <channels> .. jvm, queued)
			  else
			    queued = redis.pcall('<publish>', 'redisson_lock__channel:' .. tag .. ':' .. queued, 0)
			  end
			end
			""";

	/**
	 * Tells the first in the line to look who has the lock.
	 */
	private static final String WAKE_LINE = """
			local head = redis.pcall('lindex', line, 0)
			local first, place = string.match(type(head) == 'string' and head or '', '^([^.]+)%.(%S+)')
			if first then redis.pcall('publish', <channels> .. first, place .. ' look') end
			""";

	/**
	 * The place that has left may have been the one that listened to others.
	 */
	private static final String AFTER_LEAVING = """
			if had > 0 and not string.find(holder or '', '.', 1, true) then
			""" + WAKE_LINE + "if not first then\n" + LEAVE_QUEUE + WAKE_QUEUE + "end end\n";

	private static Layout redisson(String publish, String listeners) {
		return new Layout("'" + TokenCounters.REDISSON_CHANNELS + "'", "KEYS[2]",
				"(string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}')",
				"KEYS[1], line, tag .. ':free', 'redisson_unlock_latch:' .. tag .. ':' .. ARGV[1]",
				"(redis.pcall('exists', 'redisson_unlock_latch:' .. tag .. ':' .. ARGV[1]) == 1)", """
						local holder = redis.call('hexists', KEYS[1], ARGV[1]) == 1 and ARGV[1]
						local length = not holder and redis.call('hlen', KEYS[1]) or 0
						-- more fields are those of readers, of whom there may be thousands
						if length > 2 then
						  holder = ''
						elseif length > 0 then
						  local fields = redis.call('hkeys', KEYS[1])
						  holder = length == 1 and fields[1] or ''
						  if length == 2 and redis.call('hget', KEYS[1], 'mode') == 'write' then
						    holder = fields[1] == 'mode' and fields[2] or fields[1]
						  end
						end
						""", """
						if not holder then
						  if redis.pcall('exists', tag .. ':free') == 1 then holder = '+' end
						elseif not string.find(holder, '.', 1, true) then
						  redis.pcall('del', tag .. ':free')
						end
						""", """
						-- a user without the right to set an expiry fails here, before anything is written
						local before = redis.call('pexpire', KEYS[1], ms) == 1 and redis.call('hkeys', KEYS[1]) or {}
						redis.call('hset', KEYS[1], owner, 1, 'mode', 'write')
						-- after that, as a key that is gone may not be written while its slot moves to another node
						for i = 1, #before do
						  if before[i] ~= owner and before[i] ~= 'mode' then redis.call('hdel', KEYS[1], before[i]) end
						end
						redis.call('pexpire', KEYS[1], ms)
						""",
				"""
						local keep = redis.call('pttl', KEYS[2])
						if keep == -1 then
						  token = redis.call('incrby', KEYS[2], n) - n + 1
						else
						  keep = string.format('%.0f', math.max(keep, ms + 86400000))
						  token = time[1] * 1000000 + time[2]
						  local last = redis.call('set', KEYS[2], string.format('%.0f', token + n - 1), 'PX', keep, 'GET')
						  if last and tonumber(last) >= token then
						    token = last + 1
						    redis.call('set', KEYS[2], string.format('%.0f', token + n - 1), 'PX', keep)
						  end
						end
						""",
				"-1", 4,
				"""
						(function()
						  local listeners = redis.pcall('pubsub', '<listeners>', 'redisson_lock__channel:' .. tag, 'redisson_rwlock:' .. tag)
						  return (listeners[2] or 1) + (listeners[4] or 0) > 0 or redis.pcall('exists', 'redisson_lock_queue:' .. tag) == 1
						end)()"""
					.replace("<listeners>", listeners),
				// who polls by hand leaves no trace, and must find it free
				"false",
				"""
						redis.call('del', KEYS[1])
						local channel = 'redisson_lock__channel:' .. tag
						local heard = redis.pcall('<publish>', channel, 0)
						unheard = type(heard) == 'table'
						-- a user may have no right to what follows
						local shared = redis.pcall('<publish>', 'redisson_rwlock:' .. tag, 1)
						<wake queue>
						local told = (tonumber(heard) or 0) + (tonumber(shared) or 0)
						if told > 0 then
						  -- those that listen to a pattern wait for no lock
						  local listeners = redis.pcall('pubsub', '<listeners>', channel, 'redisson_rwlock:' .. tag)
						  if listeners[2] then told = listeners[2] + listeners[4] end
						end
						if told + (type(queued) == 'number' and queued or 0) > 0 then
						  redis.pcall('set', tag .. ':free', 1, 'PX', 30)
						end
						<wake line>
						""".replace("<wake queue>\n", WAKE_QUEUE)
					.replace("<wake line>\n", WAKE_LINE)
					.replace("<publish>", publish)
					.replace("<listeners>", listeners),
				JOIN_QUEUE, LEAVE_QUEUE, AFTER_LEAVING.replace("<publish>", publish), "",
				"""
						if ARGV[3] then redis.pcall('set', 'redisson_unlock_latch:' .. tag .. ':' .. ARGV[1], 1, 'PX', 120000) end
						""",
				"""
						local renewed = redis.call('hexists', key, owner) == 1 and redis.call('pexpire', key, ms) == 1
						""");
	}

}
