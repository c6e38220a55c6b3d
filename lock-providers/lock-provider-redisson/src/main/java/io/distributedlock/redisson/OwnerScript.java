package io.distributedlock.redisson;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.OwnerAnswer;
import io.distributedlock.redis.scripts.ScriptDigest;

/**
 * The scripts that say who has a key, and that take it away, for the key layout of
 * Redisson's own locks. They find out on the server which lock type the owner has, since
 * an owner may also be code that uses Redisson by hand.
 * <p>
 * Why: docs/decisions/049-owners-on-the-backend.md
 */
enum OwnerScript implements LuaScript {

	/**
	 * Lists who has a lock of any type, and changes nothing. Readers are owners as long
	 * as a key of theirs lives. A writer by hand that also reads is one owner. Keys:
	 * lock. Arguments: the parts before and after an owner in the name of a reader's key.
	 */
	OF_LOCK(OwnerAnswer.ADD + """
			local fields = redis.call('hgetall', KEYS[1])
			local left = redis.call('pttl', KEYS[1])
			local shared = redis.call('hget', KEYS[1], 'mode') == 'read'
			for i = 1, #fields, 2 do
			  local owner, holds = fields[i], tonumber(fields[i + 1])
			  if shared then
			    local alive = 0
			    for hold = 1, holds or 0 do
			      alive = math.max(alive, redis.call('pttl', ARGV[1] .. owner .. ARGV[2] .. hold))
			    end
			    if alive > 0 then add(owner, 'READ', math.min(alive, left)) end
			  elseif holds and redis.call('hexists', KEYS[1], owner .. ':write') == 0 then
			    add(owner, 'EXCLUSIVE', left)
			  end
			end
			return answer"""),

	/**
	 * Lists who has a permit, and changes nothing. Redisson keeps the id of a permit as
	 * bytes: it is shown as code by hand knows it, in hexadecimal digits. Keys: owners.
	 * No arguments.
	 */
	OF_PERMITS(OwnerAnswer.ADD_ALL
			+ """
					if redis.call('exists', KEYS[1]) == 1 then add_all(KEYS[1], 'SEMAPHORE') end
					local function digits(byte) return string.format('%02x', string.byte(byte)) end
					for i = 1, #answer, 3 do
					  if #answer[i] == 16 or string.find(answer[i], '[^%w-]') then answer[i] = string.gsub(answer[i], '.', digits) end
					end
					return answer"""),

	/**
	 * Releases a permit for its owner, as {@link #OF_PERMITS} shows it. Keys and
	 * arguments as those of {@link RedissonScript#RELEASE_PERMIT}.
	 */
	REVOKE_PERMIT("local function release(KEYS, ARGV)\n" + RedissonScript.RELEASE_PERMIT.source() + """

			end
			local function byte(digits) return string.char(tonumber(digits, 16)) end
			if string.find(ARGV[1], '^%x+$') then
			  local bytes = string.gsub(ARGV[1], '%x%x', byte)
			  if redis.call('zscore', KEYS[2], bytes) then ARGV[1] = bytes end
			end
			return release(KEYS, ARGV)"""),

	/**
	 * Releases a lock of any type for its owner, however often it has entered. An
	 * exclusive or fair lock goes to the next in the line; if there is none, those who
	 * wait outside the line are told, also the first in the queue of a fair lock. Keys:
	 * lock, the reader's own, counter, the moment. Arguments: owner, the command to
	 * publish, the parts before and after an owner in the name of a reader's key, the
	 * channels of the lock and of read and write locks, the queue of a fair lock and its
	 * times. Answers as {@link LockScripts#release()}.
	 */
	REVOKE(revoke(LockScripts.REDISSON)),

	/**
	 * The same on a cluster on which Redisson uses sharded channels.
	 */
	REVOKE_SHARDED(revoke(LockScripts.REDISSON_SHARDED));

	private final String source;

	private final String digest;

	OwnerScript(String source) {
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

	private static String revoke(LockScripts line) {
		return RedissonScript.Parts.FIRST_ALIVE + RedissonScript.Parts.WAKE + """
				local function release_alone(KEYS, ARGV)
				%s
				end
				local function release_shared(KEYS, ARGV)
				%s
				end
				if redis.call('hget', KEYS[1], 'mode') == 'read' or redis.call('hlen', KEYS[1]) > 2 then
				  local again = 0
				  for hold = 2, tonumber(redis.call('hget', KEYS[1], ARGV[1]) or 0) do
				    again = again + redis.call('del', ARGV[3] .. ARGV[1] .. ARGV[4] .. hold)
				  end
				  return math.max(release_shared({ KEYS[1], KEYS[2] }, { unpack(ARGV, 1, 7) }), math.min(again, 1))
				end
				redis.pcall('del', KEYS[4])
				local had = release_alone({ KEYS[1], KEYS[3] }, { ARGV[1] })
				-- a user for exclusive locks has no right to the queue
				local queued = had > 0 and type(redis.pcall('lindex', ARGV[7], 0)) == 'string'
				if queued and redis.call('exists', KEYS[1]) == 0 then
				  local first = first_alive(ARGV[7], ARGV[8])
				  if first then wake(ARGV[2], ARGV[5], first) end
				end
				return had""".formatted(line.release().source(), RedissonScript.RELEASE_READ.source());
	}

}
