package io.distributedlock.redis.scripts;

/**
 * How a lock is kept on the server: the parts of the scripts that differ. Each part is
 * Lua.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @param tag the hash tag of the keys that belong to the lock
 * @param busy the keys of which none exists if the lock is free, nobody waits for it, and
 * the owner may have it
 * @param refuse ends an attempt that must not succeed any more
 * @param holder sets {@code holder}: the owner, {@code false} if there is none, or
 * something that is no owner's name if the key is shared
 * @param take makes {@code owner} the holder for {@code ms} milliseconds, whoever it was
 * before
 * @param countMore lets {@code token}, from which on {@code n} numbers were counted, also
 * follow a counter that others use
 * @param othersWait says whether somebody waits who is not in the line
 * @param free deletes the lock, and wakes those who wait and are not in the line
 * @param noteWaiters what an attempt does that found the lock taken and is not in the
 * line
 * @param forget refuses an attempt of an owner that was removed, if it arrives later
 * @param renew sets {@code renewed}: whether {@code owner} has {@code key}, which then
 * runs for {@code ms} milliseconds
 * @since 0.1
 */
record Layout(String tag, String busy, String refuse, String holder, String take, String countMore, String othersWait,
		String free, String noteWaiters, String forget, String renew) {

	/**
	 * A string with the owner's name. Readers share the same key as a set.
	 */
	static final Layout PLAIN = new Layout("'{' .. KEYS[1] .. '}'", "KEYS[1], line", "", """
			local holder = redis.pcall('get', KEYS[1])
			if type(holder) == 'table' then
			  if not string.find(holder.err, 'WRONGTYPE', 1, true) then return holder end
			  if type(redis.pcall('zcard', KEYS[1])) == 'table' then return holder end
			  holder = ''
			end
			""", "redis.call('set', KEYS[1], owner, 'PX', ms)\n", "", "redis.call('exists', tag .. ':mark') == 1", """
			local gone = redis.call('del', KEYS[1], tag .. ':mark')
			if gone > (holder and 1 or 0) then redis.pcall('publish', KEYS[1], '') end
			""", """
			redis.pcall('set', tag .. ':mark', 1, 'PX', 600000)
			local told, id = string.match(holder, '^([^.]+)%.(%S+)$')
			if told then redis.pcall('publish', string.match(KEYS[2], '^[^{]*') .. told, id) end
			""", "", """
			local renewed = redis.pcall('get', key) == owner and redis.call('pexpire', key, ms) == 1
			""");

	/**
	 * Redisson's own: a hash with the owner as a field. Owners that wait by hand listen
	 * to Redisson's channel. Tokens follow the counter of Redisson's fenced lock, if that
	 * exists.
	 */
	static final Layout REDISSON = new Layout(
			"(string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}')",
			"KEYS[1], line, 'redisson_lock_token:' .. tag, 'redisson_unlock_latch:' .. tag .. ':' .. ARGV[1]", """
					if redis.call('exists', 'redisson_unlock_latch:' .. tag .. ':' .. ARGV[1]) == 1 then return 0 end
					""", """
					local holder = redis.call('hexists', KEYS[1], ARGV[1]) == 1 and ARGV[1]
					holder = holder or redis.call('hkeys', KEYS[1])[1] or false
					""", """
					redis.call('pexpire', KEYS[1], ms)
					redis.call('del', KEYS[1])
					redis.call('hset', KEYS[1], owner, 1)
					redis.call('pexpire', KEYS[1], ms)
					""", """
					if redis.call('pttl', 'redisson_lock_token:' .. tag) == -1 then
					  token = math.max(token, redis.call('get', 'redisson_lock_token:' .. tag) + 1)
					  redis.call('set', 'redisson_lock_token:' .. tag, token + n - 1, 'KEEPTTL')
					end
					""", """
					(redis.pcall('pubsub', 'numsub', 'redisson_lock__channel:' .. tag)[2] or 0) ~= 0
					""".strip(), """
					redis.call('del', KEYS[1])
					redis.pcall('publish', 'redisson_lock__channel:' .. tag, 0)
					""", "", """
					if KEYS[3] then redis.pcall('set', KEYS[3], 1, 'PX', 120000) end
					""", """
					local renewed = redis.call('hexists', key, owner) == 1 and redis.call('pexpire', key, ms) == 1
					""");

}
