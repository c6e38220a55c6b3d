package io.distributedlock.redisson;

import io.distributedlock.redis.scripts.TokenCounters;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

/**
 * The keys and channels in Redis that belong to one lock, named as Redisson names them:
 * from the name that its {@link NameMapper} returns, all in one hash slot.
 * <p>
 * Why: docs/decisions/027-redisson-layout-own-scripts.md
 *
 * @param lock the key of the lock
 * @param permits the key of a semaphore's number of free permits. Unless the lock's key
 * is made by another layout, no other lock has this key, as it has braces
 * @param counters makes the calls
 */
record RedissonNames(String lock, String permits, TokenCounters counters) {

	/**
	 * The part between the owner and its hold count in the name of a reader's key.
	 */
	static final String AFTER_READER = ":rwlock_timeout:";

	static RedissonNames of(String key, Config config) {
		NameMapper mapper = config.getNameMapper();
		return new RedissonNames(mapper.map(key), mapper.map(TokenCounters.beside(key) + ":permits"),
				TokenCounters.ofRedisson(config.isClusterConfig()));
	}

	/**
	 * The channel on which releases of a lock are published.
	 */
	static String channel(String lock) {
		return prefixed("redisson_lock__channel", lock);
	}

	/**
	 * The channel of read and write locks.
	 */
	static String sharedChannel(String lock) {
		return prefixed("redisson_rwlock", lock);
	}

	/**
	 * The key that expires with the lease of a reader.
	 */
	String reader(String owner) {
		return beforeReader() + owner + AFTER_READER + "1";
	}

	/**
	 * The part before the owner in the name of a reader's key.
	 */
	String beforeReader() {
		return suffixed(this.lock, "");
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
