package io.distributedlock.redisson;

import org.redisson.RedissonObject;
import org.redisson.config.NameMapper;

/**
 * The names on the server of what belongs to one key, as Redisson composes them: from the
 * name that its {@link NameMapper} gives, all in one hash slot.
 *
 * @param lock the lock
 * @param permits the number of free permits of a semaphore; no key of a lock has braces
 */
record RedissonNames(String lock, String permits) {

	private static final String READER = ":rwlock_timeout:";

	static RedissonNames of(String key, NameMapper mapper) {
		return new RedissonNames(mapper.map(key), mapper.map("{" + key + "}:permits"));
	}

	/**
	 * The counter of fencing tokens.
	 */
	String counter() {
		return RedissonObject.prefixName("redisson_lock_token", this.lock);
	}

	/**
	 * The channel on which releases are told.
	 */
	String channel() {
		return RedissonObject.prefixName("redisson_lock__channel", this.lock);
	}

	/**
	 * The channel for one who waits in the queue of a fair lock.
	 */
	String channelOf(String owner) {
		return channel() + ":" + owner;
	}

	/**
	 * The channel of read and write locks.
	 */
	String sharedChannel() {
		return RedissonObject.prefixName("redisson_rwlock", this.lock);
	}

	/**
	 * The queue of a fair lock.
	 */
	String queue() {
		return RedissonObject.prefixName("redisson_lock_queue", this.lock);
	}

	/**
	 * Until when those in the queue count as alive.
	 */
	String times() {
		return RedissonObject.prefixName("redisson_lock_timeout", this.lock);
	}

	/**
	 * The key that lives as long as the lease of a reader.
	 */
	String reader(String owner) {
		return beforeReader() + owner + afterReader() + "1";
	}

	/**
	 * What stands before the owner in the name of such a key.
	 */
	String beforeReader() {
		return RedissonObject.suffixName(this.lock, "");
	}

	/**
	 * What stands between owner and count in the name of such a key.
	 */
	String afterReader() {
		return READER;
	}

	/**
	 * The owners of permits by the end of their lease.
	 */
	String permitTimes() {
		return RedissonObject.suffixName(this.permits, "timeout");
	}

	/**
	 * The channel on which free permits are told.
	 */
	String permitChannel() {
		return RedissonObject.prefixName("redisson_sc", this.permits);
	}

	/**
	 * The mark of an owner that was removed: Redisson keeps one of this name for a
	 * release that was carried out.
	 */
	String mark(String owner) {
		return mark(this.lock, owner);
	}

	/**
	 * The mark of an owner of a permit, in the slot of the semaphore.
	 */
	String permitMark(String owner) {
		return mark(this.permits, owner);
	}

	private static String mark(String name, String owner) {
		return RedissonObject.prefixName("redisson_unlock_latch", name) + ":" + owner;
	}

}
