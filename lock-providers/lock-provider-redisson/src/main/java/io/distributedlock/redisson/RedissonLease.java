package io.distributedlock.redisson;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;

/**
 * A fenced lock of Redisson that one owner has.
 *
 * @param provider what granted it
 * @param key the key
 * @param lock the lock object
 * @param owner the owner, in place of Redisson's thread id
 * @param token the fencing token
 * @param term the first term
 */
record RedissonLease(RedissonLockProvider provider, String key, RLock lock, long owner, long token,
		LeaseTerm term) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.token);
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this.lock, this.owner);
	}

	@Override
	public String toString() {
		return "RedissonLease[key=%s, token=%d]".formatted(this.key, this.token);
	}

}
