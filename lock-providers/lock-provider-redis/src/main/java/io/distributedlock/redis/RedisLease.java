package io.distributedlock.redis;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A key that one owner has set.
 *
 * @param provider what granted it
 * @param key the key
 * @param owner the owner's secret
 * @param token the fencing token
 * @param term the first term
 */
record RedisLease(RedisLockProvider provider, String key, String owner, long token, LeaseTerm term) implements Lease {

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
		return this.provider.release(this.key, this.owner);
	}

	@Override
	public String toString() {
		return "RedisLease[key=%s, token=%d]".formatted(this.key, this.token);
	}

}
