package io.distributedlock.redisson;

import java.util.List;

import io.distributedlock.redis.scripts.TokenCounters;
import org.redisson.config.NameMapper;

/**
 * The keys and channels in Redis that belong to one lock, named as Redisson names them:
 * from the name that its {@link NameMapper} returns, all in one hash slot.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param lockName the name of the lock, before it was mapped
 * @param permitsName the name of the permits, before it was mapped
 * @param lock the key of the lock
 * @param permits the key of a semaphore's number of free permits. Unless the lock's key
 * is made by another layout, no other lock has this key, as it has braces
 */
record RedissonNames(String lockName, String permitsName, String lock, String permits) {

	private static final TokenCounters COUNTERS = TokenCounters.ofRedisson(false);

	private static final String READER = ":rwlock_timeout:";

	static RedissonNames of(String key, NameMapper mapper) {
		String permitsName = suffixed(key, "permits");
		return new RedissonNames(key, permitsName, mapper.map(key), mapper.map(permitsName));
	}

	/**
	 * The keys that belong to a lock of any type, but those of its readers: the lock, the
	 * counter of fencing tokens, the line and the hash beside it, the queue of
	 * {@code getFairLock}, and the times until which the owners in the queue count as
	 * alive.
	 */
	List<String> keys() {
		return COUNTERS.keys(this.lock);
	}

	/**
	 * The channel on which releases are published.
	 */
	String channel() {
		return prefixed("redisson_lock__channel", this.lock);
	}

	/**
	 * The channel of read and write locks.
	 */
	String sharedChannel() {
		return prefixed("redisson_rwlock", this.lock);
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
		return suffixed(this.lock, "");
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
		return suffixed(this.permits, "timeout");
	}

	/**
	 * The channel on which free permits are published.
	 */
	String permitChannel() {
		return prefixed("redisson_sc", this.permits);
	}

	/**
	 * The mark of an owner of a permit that was removed. Redisson writes a key of this
	 * name when it has released a lock.
	 */
	String permitMark(String owner) {
		return prefixed("redisson_unlock_latch", this.permits) + ":" + owner;
	}

	/**
	 * Put a prefix before a name as Redisson does: a name without a hash tag becomes one.
	 */
	private static String prefixed(String prefix, String name) {
		return prefix + ":" + TokenCounters.tag(name);
	}

	private static String suffixed(String name, String suffix) {
		return TokenCounters.tag(name) + ":" + suffix;
	}

}
