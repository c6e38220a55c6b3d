package io.distributedlock.redis.scripts;

/**
 * Parts that several scripts have in common, and how a script is made of them.
 * <p>
 * Why: docs/decisions/031-tokens-start-at-the-clock.md,
 * docs/decisions/040-redis-hands-over.md, docs/decisions/041-one-counter-per-slot.md
 */
final class LuaParts {

	/**
	 * The names of the keys that belong to the lock.
	 */
	private static final String NAMES = """
			local tag = <tag>
			local line = tag .. ':line'
			""";

	/**
	 * Grants the lock to the first in the line whose JVM is alive, and sets
	 * {@code granted} to its owner, to a false value if there is none, and
	 * {@code unheard} if the server refuses to publish. While the slot of a cluster moves
	 * to another node, a line that is not here counts as empty: the lock is then free,
	 * and who is in the line looks. A JVM counts as alive if what says so is not here.
	 */
	private static final String HAND_OVER = """
			<declare>
			local entry = redis.pcall('lpop', line)
			if type(entry) == 'table' then
			  if not string.find(entry.err, 'non local key', 1, true) then return entry end
			  entry = false
			end
			local time = entry and redis.call('time')
			while type(entry) == 'string' do
			  local owner, jvm, id, n, ms = string.match(entry, '^(([^.]+)%.(%S+)) (%d+) (%d+)$')
			  local till = redis.pcall('hget', tag .. ':alive', jvm)
			  if type(till) == 'table' or till and tonumber(till) >= time[1] * 1000 + time[2] / 1000 then
			    <count>
			    <take>
			    local sent = redis.pcall('publish', <channels> .. jvm, string.format('%s %.0f %s %d', id, token, ms, grants))
			    unheard = type(sent) == 'table'
			    granted = owner
			    break
			  end
			  entry = redis.pcall('lpop', line)
			end
			""";

	/**
	 * Sets {@code pass}: whether the next in the line may have the lock. After many
	 * grants in a row others outside the line come first.
	 */
	private static final String LET_OTHERS_IN = """
			local pass = true
			if grants > <in a row> then
			  pass = not (<others wait>)
			  grants = 1
			end
			""";

	/**
	 * Lets the JVM of the first argument count as alive. Another JVM may have asked for
	 * more time, or another call of this JVM, so no time is ever shortened. Nothing fails
	 * if the memory is full. Whenever a JVM is new here, those that are gone are
	 * forgotten: the key may be busy for as long as the application lives.
	 */
	private static final String SAY_ALIVE = """
			local life = math.floor(keep * 4 / 3)
			local now = time[1] * 1000 + math.floor(time[2] / 1000)
			local till = now + life
			local jvm = string.match(ARGV[1], '^[^.]+')
			-- after a write that needs no memory, a full server refuses none in this script
			redis.pcall('hdel', tag .. ':alive', '')
			local before = redis.call('hget', tag .. ':alive', jvm)
			if not before then
			  local all = redis.pcall('hgetall', tag .. ':alive')
			  for i = 2, #all, 2 do
			    if tonumber(all[i]) < now then redis.pcall('hdel', tag .. ':alive', all[i - 1]) end
			  end
			end
			if tonumber(before or 0) < till then redis.pcall('hset', tag .. ':alive', jvm, till) end
			if redis.call('pttl', tag .. ':alive') < life then redis.call('pexpire', tag .. ':alive', life) end
			if redis.call('pttl', line) < keep * 3 then redis.call('pexpire', line, keep * 3) end
			""";

	private static final String BEHIND_OTHERS = "-2305843009213693952";

	private static final String FREE_OR_BEHIND_OTHERS = "holder == '+' and -1152921504606846976 or " + BEHIND_OTHERS;

	private LuaParts() {
	}

	static String fill(String script, Layout layout) {
		boolean countsAlready = script.contains("local token\n");
		boolean grantsAlready = script.contains("local granted\n");
		boolean publishesAlready = script.contains("local unheard\n");
		String declare = (countsAlready ? "" : "local token\n") + (grantsAlready ? "" : "local granted\n")
				+ (publishesAlready ? "" : "local unheard\n");
		String filled = script.replace("<hand over>", HAND_OVER.replace("<declare>\n", declare))
			.replace("<say alive>", SAY_ALIVE)
			.replace("<let others in>", LET_OTHERS_IN)
			.replace("<names>", NAMES)
			.replace("<count>", layout.count())
			.replace("<sign>", layout.sign())
			.replace("<moment>\n", layout.moment())
			.replace("<behind others>", layout.moment().isEmpty() ? BEHIND_OTHERS : FREE_OR_BEHIND_OTHERS)
			.replace("<stranger>", layout.moment().isEmpty() ? "*" : "+")
			.replace("<in a row>", Integer.toString(layout.inARow()))
			.replace("<take>", layout.take())
			.replace("<free>", layout.free())
			.replace("<join queue>\n", layout.joinQueue())
			.replace("<leave queue>\n", layout.leaveQueue())
			.replace("<after leaving>\n", layout.afterLeaving())
			.replace("<holder>", layout.holder())
			.replace("<refused>", layout.refused())
			.replace("<next is refused>", layout.refused().replace("ARGV[1]", "ARGV[3]"))
			.replace("<forget>", layout.forget())
			.replace("<renew>", layout.renew())
			.replace("<busy>", layout.busy())
			.replace("<others wait>", layout.othersWait())
			.replace("<may stay>", layout.mayStay())
			.replace("<note waiters>", layout.noteWaiters())
			.replace("<queue>", "'redisson_lock_queue:' .. tag")
			.replace("<times>", "'redisson_lock_timeout:' .. tag")
			.replace("<channels>", layout.channels())
			.replace("<counter>", layout.counter())
			.replace("<tag of key>", layout.tag().replace("KEYS[1]", "key"))
			.replace("<tag>", layout.tag());
		if (filled.contains("<") && filled.matches("(?s).*<[a-z ]+>.*")) {
			throw new IllegalStateException("A part of a script is missing: " + filled);
		}
		return filled;
	}

}
