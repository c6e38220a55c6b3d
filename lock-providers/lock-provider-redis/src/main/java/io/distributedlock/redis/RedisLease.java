package io.distributedlock.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of one owner, exclusive or shared with others.
 *
 * @param provider the provider that granted it
 * @param redisKey the key in Redis that holds the owner: the lock's key, or that of a
 * semaphore's permits
 * @param channel the channel on which its release is published
 * @param owner the owner's name
 * @param shared whether others may hold the lock at the same time
 * @param fencingToken the fencing token, empty for a permit of a semaphore
 * @param term the first term
 */
record RedisLease(RedisLockProvider provider, String redisKey, String channel, String owner, boolean shared,
		OptionalLong fencingToken, LeaseTerm term) implements Lease {

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this);
	}

	@Override
	public Optional<Lease> asReader() {
		return Optional.of(new RedisLease(this.provider, this.redisKey, this.channel, this.owner, true,
				this.fencingToken, this.term));
	}

	@Override
	public String toString() {
		return "RedisLease[key=%s, token=%s]".formatted(this.redisKey, this.fencingToken);
	}

}
