package io.distributedlock.redis.scripts;

import io.distributedlock.redis.scripts.Script.Answer;

/**
 * The scripts of exclusive and fair locks, for one layout of the key. Whoever finds a
 * lock taken joins a line, in the same script. Whoever releases the lock names the next
 * owner: the first in the line whose JVM is alive. That owner's JVM gets one message, on
 * a channel of its own.
 * <p>
 * The line is a list. An entry has the owner, how many tokens it wants, and how long its
 * grant is to live until it is renewed. A hash says until when a JVM counts as alive. So
 * no script gets slower with the number of waiters.
 * <p>
 * The keys of all scripts but {@link #renew()} are the lock and the counter of tokens.
 * The other keys follow from the lock's, and are in its slot. Owners are named
 * {@code jvm.number}, and the channel of a JVM is what precedes the brace in the
 * counter's name, and the JVM. A message has the number of the owner, the first token,
 * the milliseconds of the grant, and how many grants in a row this is. A message with the
 * number alone says that others now wait for what this owner has. A message with the
 * number and one word says that the lock is free for those outside the line, and that
 * this place is to look who has it.
 * <p>
 * Why: docs/decisions/029-redis-out-of-memory.md,
 * docs/decisions/031-tokens-start-at-the-clock.md,
 * docs/decisions/040-redis-hands-over.md, docs/decisions/041-one-counter-per-slot.md,
 * docs/decisions/042-redis-renews-in-batches.md,
 * docs/decisions/051-a-release-takes-the-next-place.md
 *
 * @since 0.1
 */
public final class LockScripts {

	/**
	 * For keys that are strings with the owner's name.
	 */
	public static final LockScripts PLAIN = new LockScripts(Layout.PLAIN);

	/**
	 * For the hash that Redisson keeps.
	 */
	public static final LockScripts REDISSON = new LockScripts(Layout.REDISSON);

	/**
	 * For the same hash on a cluster on which Redisson uses sharded channels. Only the
	 * scripts that publish on Redisson's channel differ.
	 */
	public static final LockScripts REDISSON_SHARDED = new LockScripts(Layout.REDISSON_SHARDED);

	/**
	 * What {@link #acquire()} answers if others have the lock, and the owner has not
	 * joined the line.
	 */
	public static final long TAKEN = 0;

	/**
	 * What {@link #acquire()} answers if the owner is in the line. Any other number below
	 * zero is a token with its sign changed: the lock is granted, and others may wait.
	 */
	public static final long IN_LINE = -(1L << 62);

	/**
	 * What {@link #acquire()} answers if the owner is in the line, and the holder is
	 * nobody from the line.
	 */
	public static final long IN_LINE_BEHIND_OTHERS = -(1L << 61);

	/**
	 * What {@link #acquire()} answers if the owner is in the line, and the lock is free,
	 * for a moment for those outside the line.
	 */
	public static final long IN_LINE_OF_A_FREE_LOCK = -(1L << 60);

	private final Script acquire;

	private final Script release;

	private final Script exchange;

	private final Script leave;

	private final Script look;

	private final Script renew;

	private LockScripts(Layout layout) {
		this.acquire = new Script(Answer.NUMBER, LuaParts.fill(ACQUIRE, layout));
		this.release = new Script(Answer.NUMBER, LuaParts.fill(RELEASE, layout));
		this.exchange = new Script(Answer.TEXT, LuaParts.fill(EXCHANGE, layout));
		this.leave = new Script(Answer.NUMBER, LuaParts.fill(LEAVE, layout));
		this.look = new Script(Answer.TEXT, LuaParts.fill(LOOK, layout));
		this.renew = new Script(Answer.TEXT, LuaParts.fill(RENEW, layout));
	}

	/**
	 * Return whether an answer of {@link #acquire()} says that the owner is in the line.
	 * @param answer the answer
	 * @return whether it is, and has no lock
	 */
	public static boolean isInLine(long answer) {
		return answer <= IN_LINE_OF_A_FREE_LOCK;
	}

	/**
	 * Takes a free lock for which nobody waits. A lock that is free although others wait
	 * goes to the first of them. Arguments: owner, and in one text, with spaces, since
	 * that is shorter: lease in milliseconds, number of tokens; for an owner that may
	 * wait also the milliseconds that a grant is to live; and a fourth number with a 1 if
	 * the JVM counts as alive for a while anyway, and a 2 if the owner may be anywhere in
	 * the line. Answers the first token, {@link #TAKEN}, {@link #IN_LINE},
	 * {@link #IN_LINE_BEHIND_OTHERS} or {@link #IN_LINE_OF_A_FREE_LOCK}. An owner that
	 * has the lock already gets new tokens, as the first answer was lost.
	 * @return the script
	 */
	public Script acquire() {
		return this.acquire;
	}

	/**
	 * Hands the lock over to the next in the line. If there is none, or if after many
	 * grants in a row others wait outside the line, the lock is free. Arguments: owner,
	 * how many grants in a row led to this lease. Answers 1 if the owner had the lock, 2
	 * if it had and those who wait were not told, as the user may not publish.
	 * @return the script
	 */
	public Script release() {
		return this.release;
	}

	/**
	 * Releases a lock, and lets another owner of the same JVM join the line, behind those
	 * who are there. If nobody waits, that owner has the lock. If others wait who are not
	 * in the line, or may wait unseen, the lock is free for them, and that owner does not
	 * join. Arguments: owner, how many grants in a row led to this lease, the other
	 * owner, and for that what {@link #acquire()} takes as its second argument. Answers
	 * in one text, with a space: what {@link #release()} would; and what
	 * {@link #acquire()} would, or {@link #TAKEN} if the other owner is to ask by itself.
	 * If the first is 0, nothing was done.
	 * @return the script
	 */
	public Script exchange() {
		return this.exchange;
	}

	/**
	 * Leaves the line, and hands the lock over if it was granted meanwhile. Arguments:
	 * owner, its entry, and a third one if an attempt of the owner may arrive later,
	 * which is then refused if the layout has marks. Answers 1 if the owner was in the
	 * line or had the lock, 2 as {@link #release()}.
	 * @return the script
	 */
	public Script leave() {
		return this.leave;
	}

	/**
	 * Lets all places of one JVM count as alive for four thirds of the time that their
	 * grants are to live, and grants a lock that is free. Arguments: an owner of the JVM,
	 * that time in milliseconds, the entry of its oldest place. Answers in one text, with
	 * spaces: how many milliseconds the holder's lease still runs, 0 or less if there is
	 * none, -2 with a plus if the lock is free for those outside the line; the last
	 * token, or the clock in microseconds if that is higher; 1 if the oldest place is in
	 * the line; the holder's number if it is of this JVM, a star if it is nobody from the
	 * line, a plus if it may also release the lock unheard, or else a hyphen.
	 * @return the script
	 */
	public Script look() {
		return this.look;
	}

	/**
	 * Renews several leases. Keys: the locks. Arguments: for each lock the owner and the
	 * lease in milliseconds. Answers a text with one digit for each: 0 if the owner no
	 * longer has the lock, 1 if it has and nobody waits in the line, 2 if somebody waits.
	 * @return the script
	 */
	public Script renew() {
		return this.renew;
	}

	private static final String ACQUIRE = """
			<names>
			local token
			local ms, tokens, keep, known = string.match(ARGV[2], '^(%d+) (%d+) ?(%d*) ?(%d*)$')
			local sign = <sign>
			local busy = redis.pcall('exists', <busy>)
			-- while the slot moves to another node, a key that is not here is an error
			if type(busy) == 'table' or busy > 0 then
			  if <refused> then return 0 end
			  <holder>
			<moment>
			  local mine = holder == ARGV[1]
			  if not holder then
			    local grants = 1
			    <hand over>
			<leave queue>
			    holder = granted
			    mine = granted == ARGV[1]
			    if not mine then token = nil end
			  end
			  if holder and not mine then
			    if keep == '' then return 0 end
			    local entry = ARGV[1] .. ' ' .. tokens .. ' ' .. keep
			    local told, id = string.match(holder, '^([^.]+)%.(%S+)$')
			    if not redis.call('lpos', line, entry, 'RANK', -1, 'MAXLEN', string.find(known, '2', 1, true) and 0 or 256) and redis.call('rpush', line, entry) == 1 then
			      redis.call('pexpire', line, keep * 3)
			      if told then redis.pcall('publish', <channels> .. told, id) end
			    end
			    if not string.find(known, '1', 1, true) then
			      local time = redis.call('time')
			      <say alive>
			    end
			    return told and -4611686018427387904 or <behind others>
			  end
			  sign = -1
			  if mine then ms = math.max(ms, redis.call('pttl', KEYS[1])) end
			end
			local owner, n = ARGV[1], tokens
			if not token then
			  local time = redis.call('time')
			  <count>
			end
			<take>
			return sign * token""";

	private static final String RELEASE = """
			<names>
			<holder>
			if holder ~= ARGV[1] then return 0 end
			local grants = (ARGV[2] or 0) + 1
			local granted
			local unheard
			<let others in>
			if pass then
			  <hand over>
			end
			if not granted then
			  <free>
			end
			return unheard and 2 or 1""";

	private static final String EXCHANGE = """
			<names>
			<holder>
			if holder ~= ARGV[1] then return '0 0' end
			local ms, tokens, keep, known = string.match(ARGV[4], '^(%d+) (%d+) (%d+) ?(%d*)$')
			local wants = not <next is refused>
			local grants = ARGV[2] + 1
			local token
			local granted
			local unheard
			<let others in>
			if pass then
			  <hand over>
			  if wants and not granted and <may stay> then
			    local owner, n = ARGV[3], tokens
			    local time = redis.call('time')
			    <count>
			    <take>
			    return string.format('1 %.0f', <sign> * token)
			  end
			end
			if not granted then
			  <free>
			  wants = false
			end
			if wants then
			  if redis.call('rpush', line, ARGV[3] .. ' ' .. tokens .. ' ' .. keep) == 1 then
			    redis.call('pexpire', line, keep * 3)
			  end
			  if not string.find(known, '1', 1, true) then
			    local time = redis.call('time')
			    <say alive>
			  end
			end
			return (unheard and '2 ' or '1 ') .. (wants and '-4611686018427387904' or '0')""";

	private static final String LEAVE = """
			<names>
			local unheard
			local had = redis.call('lrem', line, 0, ARGV[2])
			<holder>
			if holder == ARGV[1] then
			  had = 1
			  local grants = 1
			  <hand over>
			  if not granted then
			    <free>
			  end
			end
			<after leaving>
			<forget>
			return unheard and 2 or had > 0 and 1 or 0""";

	private static final String LOOK = """
			<names>
			local time = redis.call('time')
			local keep = ARGV[2]
			<say alive>
			local there = redis.call('lpos', line, ARGV[3]) and 1 or 0
			<holder>
			<moment>
			if not holder then
			  local grants = 1
			  <hand over>
			<leave queue>
			  holder = granted
			end
			<join queue>
			local jvm, id = string.match(holder or '', '^([^.]+)%.(%S+)$')
			if jvm ~= string.match(ARGV[1], '^[^.]+') then id = holder and not jvm and '<stranger>' or '-' end
			local seen = math.max(time[1] * 1000000 + time[2], redis.call('get', <counter>) or 0)
			return string.format('%d %.0f %d %s', redis.call('pttl', KEYS[1]), seen, there, id)""";

	private static final String RENEW = """
			local answer = ''
			for i, key in ipairs(KEYS) do
			  local owner, ms = ARGV[2 * i - 1], ARGV[2 * i]
			  <renew>
			  local tag = <tag of key>
			  -- fails while the slot moves to another node of a cluster; a lease must not end for that
			  local waiting = redis.pcall('exists', tag .. ':line')
			  answer = answer .. (not renewed and 0 or waiting == 0 and 1 or 2)
			end
			return answer""";

}
