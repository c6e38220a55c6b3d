package io.distributedlock.redisson.internal.client;

import java.util.List;
import java.util.Locale;

import io.distributedlock.redis.scripts.LockScripts;
import io.distributedlock.redis.scripts.script.LuaFiles;
import io.distributedlock.redis.scripts.script.Script;

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
public enum RedissonScript {

	/**
	 * Takes a write lock: a hash with the owner as a field. Arguments: owner, lease, time
	 * to live of the counter. Answers 0 if the lock is taken, and
	 * {@link LockScripts#IN_LINE_BEHIND_OTHERS} if somebody by hand has it, or it is free
	 * for them for a moment.
	 */
	ACQUIRE_WRITE,

	/**
	 * Takes a read lock: a field in the hash, and a key that expires with this lease.
	 * Arguments and answer as those of {@link #ACQUIRE_WRITE}.
	 */
	ACQUIRE_READ,

	/**
	 * Takes a permit of a semaphore: counts the number of free permits down, and adds the
	 * owner to a set sorted by the ends of the leases. The first caller sets the number.
	 * A caller that finds no free permit, and asks with another number of permits, sets
	 * it again. The number expires some time after the last lease, unless it was set by
	 * hand without an expiry. Keys: number, owners, mark. Arguments: owner, lease, the
	 * time after the last lease, number of permits, the channels of Redisson's waiters
	 * and of ours.
	 */
	ACQUIRE_PERMIT,

	/**
	 * Renews a write lock. Keys: lock. Arguments: owner, lease.
	 */
	RENEW_LOCK,

	/**
	 * Renews a read lock, unless its lease has expired while other readers kept the lock.
	 * Keys: lock, the reader's own. Arguments: owner, lease, the parts before and after
	 * an owner in the name of its key.
	 */
	RENEW_READ,

	/**
	 * Renews a permit. Keys: number, owners. Arguments as for its acquisition.
	 */
	RENEW_PERMIT,

	/**
	 * Releases the lock of a writer and publishes that, also to the first in the queue of
	 * {@code getFairLock}. The release also succeeds for a user without the right to
	 * publish; the answer is then 2 instead of 1. Arguments: owner, one more if it is to
	 * be refused from now on.
	 */
	RELEASE_WRITE,

	/**
	 * Releases a read lock. Removes readers whose lease has expired, and lets the lock
	 * expire with the last of the others. Arguments: owner, the parts before and after an
	 * owner in the name of its key, one more if it is to be refused from now on. Answers
	 * as {@link #RELEASE_WRITE}.
	 */
	RELEASE_READ,

	/**
	 * Releases a permit. Keys: number, owners, the mark if the owner is to be refused
	 * from now on. Arguments as for its acquisition. Answers as {@link #RELEASE_WRITE}.
	 */
	RELEASE_PERMIT,

	/**
	 * Lists who has a lock, and changes nothing. A writer by hand that also reads is one
	 * owner. Keys: lock. No arguments. Answers the one word {@code READ} if readers have
	 * it.
	 */
	OWNERS_OF_LOCK,

	/**
	 * Lists the readers of a lock, and changes nothing. They are owners as long as a key
	 * of theirs lives. Keys: lock. Arguments: the parts before and after an owner in the
	 * name of a reader's key.
	 */
	OWNERS_OF_READERS,

	/**
	 * Lists who has a permit, and changes nothing. Redisson keeps the id of a permit as
	 * bytes: it is shown as code by hand knows it, in hexadecimal digits. Keys: owners.
	 * No arguments.
	 */
	OWNERS_OF_PERMITS,

	/**
	 * Releases a permit for its owner, as {@link #OWNERS_OF_PERMITS} shows it. Keys and
	 * arguments as those of {@link #RELEASE_PERMIT}.
	 */
	REVOKE_PERMIT,

	/**
	 * Releases a lock that its owner has alone, whatever its type. It goes to the next in
	 * the line; if there is none, those who wait outside the line are told, also the
	 * first in the queue of a fair lock. Argument: owner. Answers as
	 * {@link LockScripts#release()}, or -1 if the lock is one of readers.
	 */
	REVOKE,

	/**
	 * Releases a read lock, however often its owner has entered. Arguments and answer as
	 * those of {@link #RELEASE_READ}.
	 */
	REVOKE_READ,

	/**
	 * Answers how many replicas the primary of a key has.
	 */
	COUNT_REPLICAS;

	// never changed
	@SuppressWarnings("ImmutableEnumChecker")
	private final Script published = read("redisson", "line");

	// never changed
	@SuppressWarnings("ImmutableEnumChecker")
	private final Script sharded = read("redisson-sharded", "redisson", "line");

	// never changed
	@SuppressWarnings("ImmutableEnumChecker")
	private final Script declared = read("redisson-declared", "redisson", "line");

	private Script read(String... folders) {
		return new LuaFiles(List.of(folders)).script(Script.Answer.NUMBER,
				name().toLowerCase(Locale.ROOT).replace('_', '-'));
	}

	/**
	 * Return the script.
	 * @param publish the command by which Redisson publishes a release
	 */
	public Script publishing(String publish) {
		return publish.equals("SPUBLISH") ? this.sharded : this.published;
	}

	/**
	 * Return a script that uses only keys that are its parameters.
	 * @param script any script
	 * @return the one that stands for it, or itself
	 */
	public static Script withDeclaredKeys(Script script) {
		for (RedissonScript each : values()) {
			if (each.published == script) {
				return each.declared;
			}
		}
		return script;
	}

}
