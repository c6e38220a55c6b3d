package io.distributedlock.redisson;

import org.redisson.RedissonObject;
import org.redisson.config.NameMapper;

/**
 * The keys and channels in Redis that belong to one lock, named as Redisson names them:
 * from the name that its {@link NameMapper} returns, all in one hash slot.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param lock the key of the lock
 * @param permits the key of a semaphore's number of free permits. It is not the key of
 * another lock, since keys of locks have no braces
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
	 * The channel on which releases are published.
	 */
	String channel() {
		return RedissonObject.prefixName("redisson_lock__channel", this.lock);
	}

	/**
	 * The channel of one owner in the queue of a fair lock.
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
	 * The times until which the owners in the queue count as alive.
	 */
	String times() {
		return RedissonObject.prefixName("redisson_lock_timeout", this.lock);
	}

	/**
	 * The key that expires with the lease of a reader.
	 */
	String reader(String owner) {
		return beforeReader() + owner + afterReader() + "1";
	}

	/**
	 * The part before the owner in the name of a reader's key.
	 */
	String beforeReader() {
		return RedissonObject.suffixName(this.lock, "");
	}

	/**
	 * The part between the owner and its hold count in the name of a reader's key.
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
	 * The channel on which free permits are published.
	 */
	String permitChannel() {
		return RedissonObject.prefixName("redisson_sc", this.permits);
	}

	/**
	 * The mark of an owner that was removed. Redisson writes a key of this name when it
	 * has released a lock.
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
