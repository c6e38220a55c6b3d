package io.distributedlock.redis.scripts;

import java.util.List;

import io.distributedlock.redis.scripts.script.LuaFiles;
import io.distributedlock.redis.scripts.script.Script;
import io.distributedlock.redis.scripts.script.Script.Answer;
import io.distributedlock.redis.scripts.script.ServerErrors;

/**
 * The further scripts for the plain layout: writers, readers, permits, and locks on
 * servers that know nothing of each other.
 * <p>
 * Readers and writers are not in the line: they ask, and leave a mark if the lock is
 * taken. A release that finds nobody in the line deletes the mark with the lock, and
 * publishes on the lock's channel only if there was one. {@link TokenCounters} makes
 * calls of scripts with all keys of a lock.
 * <p>
 * Why: docs/decisions/040-redis-hands-over.md
 *
 * @since 0.1
 */
public final class PlainScripts {

	private static final LuaFiles FILES = new LuaFiles(List.of("plain", "line"));

	/**
	 * Changes nothing and answers 1, or fails as {@link ServerErrors} reads it if the
	 * server is too old. Key: any, or none for a node of a cluster. Arguments: channels
	 * on which to publish an empty message. Answers 2 if the server has published
	 * nothing. A user that may run scripts may run this one, also without the rights to
	 * {@code PING} and {@code INFO}.
	 */
	public static final Script PING = FILES.script(Answer.NUMBER, "ping");

	/**
	 * Takes a free lock, whether others are in its line or not. Keys: all of the lock.
	 * Arguments and answer as those of {@link LockScripts#acquire()}.
	 */
	public static final Script ACQUIRE_WRITE = FILES.script(Answer.NUMBER, "acquire-write");

	/**
	 * Takes a share of the lock: adds the owner to a sorted set of owners by expiry,
	 * unless one owner has the key exclusively. The set expires with its last owner.
	 * Keys: all of the lock. Arguments: owner, lease in milliseconds. Answers the token,
	 * or 0 if the lock is taken.
	 */
	public static final Script ACQUIRE_READ = FILES.script(Answer.NUMBER, "acquire-read");

	/**
	 * Renews a share or a permit. Key: the lock, or the owners of permits. Arguments:
	 * owner, lease in milliseconds. Answers 1 if the owner had it.
	 */
	public static final Script RENEW_SHARE = FILES.script(Answer.NUMBER, "renew-share");

	/**
	 * Releases a share. Keys: all of the lock. Argument: owner. Answers as
	 * {@link LockScripts#release()}.
	 */
	public static final Script RELEASE_READ = FILES.script(Answer.NUMBER, "release-read");

	/**
	 * Takes a permit, if there are fewer owners than permits. Keys: the owners of
	 * permits, a mark that somebody waits for one. Arguments: owner, lease in
	 * milliseconds, the number of permits. Answers 1, or 0 if no permit is free.
	 */
	public static final Script ACQUIRE_PERMIT = FILES.script(Answer.NUMBER, "acquire-permit");

	/**
	 * Releases a permit. Keys: the owners of permits, that mark. Arguments: owner, the
	 * channel to publish on. Answers as {@link LockScripts#release()}.
	 */
	public static final Script RELEASE_PERMIT = FILES.script(Answer.NUMBER, "release-permit");

	/**
	 * Sets the owner of a free lock, without a token and without a line. Key: the lock.
	 * Arguments: owner, lease in milliseconds. Answers 1, or 0 if the lock is taken.
	 */
	public static final Script TAKE = FILES.script(Answer.NUMBER, "take");

	/**
	 * Renews what {@link #TAKE} took. Arguments: owner, lease in milliseconds. Answers 1
	 * if the owner had the lock.
	 */
	public static final Script RENEW_TAKEN = FILES.script(Answer.NUMBER, "renew-taken");

	/**
	 * Releases what {@link #TAKE} took. Argument: owner. Answers 1 if the owner had the
	 * lock.
	 */
	public static final Script RELEASE_TAKEN = FILES.script(Answer.NUMBER, "release-taken");

	/**
	 * Lists the owners of a lock and of its permits, and changes nothing. Keys: the lock;
	 * the owners of permits, if they are asked for. No arguments. {@link OwnerAnswer}
	 * reads the answer. Commands for sets run only if there is a set, since a user for
	 * exclusive locks has no right to them.
	 */
	public static final Script OWNERS = FILES.script(Answer.TEXTS, "owners");

	/**
	 * Writes a value of a fenced resource. Answers 0 if it has written, or else the
	 * higher token that Redis has seen.
	 */
	public static final Script FENCED_WRITE = FILES.script(Answer.NUMBER, "fenced-write");

	private PlainScripts() {
	}

}
