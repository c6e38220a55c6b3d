package io.distributedlock.redis.scripts;

import java.util.List;

import io.distributedlock.redis.scripts.script.LuaFiles;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.Script.Answer;

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
 * {@link TokenCounters} makes calls of all scripts but {@link #renew()}. Owners are named
 * {@code jvm.number}, and the channel of a JVM is what precedes the brace in the
 * counter's name, and the JVM. A message has the number of the owner, the first token,
 * the milliseconds of the grant, and how many grants in a row this is. A message with the
 * number alone says that others now wait for what this owner has. A message with the
 * number and one word says that the lock is free for those outside the line, and that
 * this place is to look who has it.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md,
 * docs/decisions/031-tokens-start-at-the-clock.md,
 * docs/decisions/043-passed-on-inside-a-jvm.md
 *
 * @param acquire takes a free lock for which nobody waits. A lock that is free although
 * others wait goes to the first of them. Arguments: owner, and in one text, with spaces,
 * since that is shorter: lease in milliseconds, number of tokens; for an owner that may
 * wait also the milliseconds that a grant is to live; and a fourth number with a 1 if the
 * JVM counts as alive for a while anyway, a 2 if the owner may be anywhere in the line,
 * and a 3 if code of another library may ask at intervals. Answers the first token,
 * {@link #TAKEN}, {@link #IN_LINE}, {@link #IN_LINE_BEHIND_OTHERS} or
 * {@link #IN_LINE_OF_A_FREE_LOCK}. An owner that has the lock already gets new tokens, as
 * the first answer was lost.
 * @param release hands the lock over to the next in the line. If there is none, or if
 * after many grants in a row others wait outside the line, the lock is free. Arguments:
 * owner, how many grants in a row led to this lease, and after a space the milliseconds
 * after which code of another library may ask again, if there is any. Answers 1 if the
 * owner had the lock, 2 if it had and those who wait were not told, as the user may not
 * publish.
 * @param leave leaves the line, and hands the lock over if it was granted meanwhile.
 * Arguments: owner, its entry, and a third one if an attempt of the owner may arrive
 * later, which is then refused if the layout has marks. Answers 1 if the owner was in the
 * line or had the lock, 2 as {@link #release()}.
 * @param look lets all places of one JVM count as alive for four thirds of the time that
 * their grants are to live, and grants a lock that is free. Arguments: an owner of the
 * JVM, that time in milliseconds, the entry of its oldest place. Answers in one text,
 * with spaces: how many milliseconds the holder's lease still runs, 0 or less if there is
 * none, -2 with a plus if the lock is free for those outside the line; the last token, or
 * the clock in microseconds if that is higher; 1 if the oldest place is in the line; the
 * holder's number if it is of this JVM, a star if it is nobody from the line, a plus if
 * it may also release the lock unheard, or else a hyphen.
 * @param renew renews up to ten leases. Keys: each lock and its line. Arguments: for each
 * lock the owner and the lease in milliseconds. Answers a text with one digit for each: 0
 * if the owner no longer has the lock, 1 if it has and nobody waits in the line, 2 if
 * somebody waits.
 * @since 0.1
 */
public record LockScripts(Script acquire, Script release, Script leave, Script look, Script renew) {

	/**
	 * For keys that are strings with the owner's name.
	 */
	public static final LockScripts PLAIN = of("plain");

	/**
	 * For the hash that Redisson keeps.
	 */
	public static final LockScripts REDISSON = of("redisson");

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

	private static LockScripts of(String layout) {
		LuaFiles files = new LuaFiles(List.of(layout, "line"));
		return new LockScripts(files.script(Answer.NUMBER, "acquire"), files.script(Answer.NUMBER, "release"),
				files.script(Answer.NUMBER, "leave"), files.script(Answer.TEXT, "look"),
				files.script(Answer.TEXT, "renew"));
	}

	/**
	 * Return whether an answer of {@link #acquire()} says that the owner is in the line.
	 * @param answer the answer
	 * @return whether it is, and has no lock
	 */
	public static boolean isInLine(long answer) {
		return answer <= IN_LINE_OF_A_FREE_LOCK;
	}

}
