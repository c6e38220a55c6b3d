package io.distributedlock.redisson.internal.client;

import java.util.List;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.script.LuaFiles;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.Script.Answer;

/**
 * The scripts of read locks, write locks and semaphores, each of which Redis executes in
 * one step, for the key layout of Redisson's own locks. A script may be executed twice
 * for one call: the second time must change nothing. A call that was given up may be
 * executed late: its owner, which was removed meanwhile, is refused.
 * <p>
 * When memory is full, Redis refuses a command that may need more of it, unless the
 * script has written before. So scripts that renew or release start with a write that
 * needs no memory, and scripts that acquire do not.
 * <p>
 * The keys of a script are {@link RedissonNames#keys()}, and behind them that of a
 * reader, unless it says otherwise.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md,
 * docs/decisions/040-redis-hands-over.md, docs/decisions/031-tokens-start-at-the-clock.md
 */
public final class RedissonScript {

	private static final LuaFiles FILES = new LuaFiles(List.of("redisson", "line"));

	/**
	 * Takes a write lock: a hash with the owner as a field. Arguments: owner, lease.
	 * Answers 0 if the lock is taken, and {@link LockScripts#IN_LINE_BEHIND_OTHERS} if
	 * somebody by hand has it, or it is free for them for a moment.
	 */
	public static final Script ACQUIRE_WRITE = FILES.script(Answer.NUMBER, "acquire-write");

	/**
	 * Takes a read lock: a field in the hash, and a key that expires with this lease.
	 * Arguments and answer as those of {@link #ACQUIRE_WRITE}.
	 */
	public static final Script ACQUIRE_READ = FILES.script(Answer.NUMBER, "acquire-read");

	/**
	 * Takes a permit of a semaphore: counts the number of free permits down, and adds the
	 * owner to a set sorted by the ends of the leases. The first caller sets the number.
	 * A caller that finds no free permit, and asks with another number of permits, sets
	 * it again. The number expires some time after the last lease, unless it was set by
	 * hand without an expiry. Keys: number, owners, mark. Arguments: owner, lease, the
	 * time after the last lease, number of permits, the channels of Redisson's waiters
	 * and of ours.
	 */
	public static final Script ACQUIRE_PERMIT = FILES.script(Answer.NUMBER, "acquire-permit");

	/**
	 * Renews a write lock. Keys: lock. Arguments: owner, lease.
	 */
	public static final Script RENEW_LOCK = FILES.script(Answer.NUMBER, "renew-lock");

	/**
	 * Renews a read lock, unless its lease has expired while other readers kept the lock.
	 * Keys: lock, the reader's own. Arguments: owner, lease, the parts before and after
	 * an owner in the name of its key.
	 */
	public static final Script RENEW_READ = FILES.script(Answer.NUMBER, "renew-read");

	/**
	 * Renews a permit. Keys: number, owners. Arguments as for its acquisition.
	 */
	public static final Script RENEW_PERMIT = FILES.script(Answer.NUMBER, "renew-permit");

	/**
	 * Releases the lock of a writer and publishes that, also to the first in the queue of
	 * {@code getFairLock}. The release also succeeds for a user without the right to
	 * publish; the answer is then 2 instead of 1. Arguments: owner, a text that is not
	 * empty if it is to be refused from now on.
	 */
	public static final Script RELEASE_WRITE = FILES.script(Answer.NUMBER, "release-write");

	/**
	 * Releases a read lock. Removes readers whose lease has expired, and lets the lock
	 * expire with the last of the others. Arguments and answer as those of
	 * {@link #RELEASE_WRITE}, and the parts before and after an owner in the name of its
	 * key.
	 */
	public static final Script RELEASE_READ = FILES.script(Answer.NUMBER, "release-read");

	/**
	 * Releases a permit. Keys: number, owners, the mark if the owner is to be refused
	 * from now on. Arguments as for its acquisition. Answers as {@link #RELEASE_WRITE}.
	 */
	public static final Script RELEASE_PERMIT = FILES.script(Answer.NUMBER, "release-permit");

	/**
	 * Lists who has a lock, and changes nothing. A writer by hand that also reads is one
	 * owner. Keys: lock. No arguments. Answers the one word {@code READ} if readers have
	 * it.
	 */
	public static final Script OWNERS_OF_LOCK = FILES.script(Answer.TEXTS, "owners-of-lock");

	/**
	 * Lists the readers of a lock, and changes nothing. They are owners as long as a key
	 * of theirs lives. Keys: lock. Arguments: the parts before and after an owner in the
	 * name of a reader's key.
	 */
	public static final Script OWNERS_OF_READERS = FILES.script(Answer.TEXTS, "owners-of-readers");

	/**
	 * Lists who has a permit, and changes nothing. Redisson keeps the id of a permit as
	 * bytes: it is shown as code by hand knows it, in hexadecimal digits. Keys: number,
	 * owners. No arguments.
	 */
	public static final Script OWNERS_OF_PERMITS = FILES.script(Answer.TEXTS, "owners-of-permits");

	/**
	 * Releases a permit for its owner, as {@link #OWNERS_OF_PERMITS} shows it. Keys and
	 * arguments as those of {@link #RELEASE_PERMIT}.
	 */
	public static final Script REVOKE_PERMIT = FILES.script(Answer.NUMBER, "revoke-permit");

	/**
	 * Releases a lock that its owner has alone, whatever its type. It goes to the next in
	 * the line; if there is none, those who wait outside the line are told, also the
	 * first in the queue of a fair lock. Argument: owner. Answers as
	 * {@link LockScripts#release()}, or -1 if the lock is one of readers.
	 */
	public static final Script REVOKE = FILES.script(Answer.NUMBER, "revoke");

	/**
	 * Releases a read lock, however often its owner has entered. Arguments and answer as
	 * those of {@link #RELEASE_READ}.
	 */
	public static final Script REVOKE_READ = FILES.script(Answer.NUMBER, "revoke-read");

	/**
	 * Answers how many replicas the primary of a key has.
	 */
	public static final Script COUNT_REPLICAS = FILES.script(Answer.NUMBER, "count-replicas");

	private RedissonScript() {
	}

}
