package io.distributedlock.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease of one owner beside others: a reader's, or a permit of a semaphore.
 *
 * @param locks granted it
 * @param key the key of the lock
 * @param owner the owner's name
 * @param permit whether it is a permit
 * @param fencingToken the fencing token, empty for a permit
 * @param term the first term
 */
record SharedLease(SharedLocks locks, String key, String owner, boolean permit, OptionalLong fencingToken,
		LeaseTerm term) implements Lease {

	@Override
	public Optional<String> ownerId() {
		return Optional.of(this.owner);
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.locks.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.locks.release(this, false);
	}

	@Override
	public String toString() {
		return "SharedLease[key=%s, token=%s]".formatted(this.key, this.fencingToken);
	}

}
