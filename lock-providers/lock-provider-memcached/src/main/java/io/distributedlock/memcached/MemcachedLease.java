package io.distributedlock.memcached;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * An item that one owner has added.
 *
 * @param provider what granted it
 * @param key the key
 * @param owner the owner's secret
 * @param term the first term
 */
record MemcachedLease(MemcachedLockProvider provider, String key, String owner, LeaseTerm term) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.empty();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this.key, this.owner, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this.key, this.owner);
	}

	@Override
	public String toString() {
		return "MemcachedLease[key=%s]".formatted(this.key);
	}

}
