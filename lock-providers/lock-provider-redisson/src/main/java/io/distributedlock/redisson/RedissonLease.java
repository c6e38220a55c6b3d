package io.distributedlock.redisson;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of one owner.
 *
 * @param provider the provider that granted it
 * @param owner the owner, with the key and the lock type
 * @param fencingToken the fencing token, empty for a permit of a semaphore
 * @param term the first term
 */
record RedissonLease(RedissonLockProvider provider, RedissonOwner owner, OptionalLong fencingToken,
		LeaseTerm term) implements Lease {

	@Override
	public Optional<String> ownerId() {
		return Optional.of(this.owner.id());
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this);
	}

	@Override
	public String toString() {
		return "RedissonLease[key=%s, token=%s]".formatted(this.owner.names().lock(), this.fencingToken);
	}

}
