package io.distributedlock.redisson;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RScriptAsync;

/**
 * What one owner has of a lock of Redisson.
 *
 * @param provider what granted it
 * @param key the key
 * @param fencingToken the fencing token, none for a permit
 * @param term the first term
 * @param renewal lets it run anew
 * @param ending gives it back
 */
record RedissonLease(RedissonLockProvider provider, String key, OptionalLong fencingToken, LeaseTerm term,
		Renewal renewal, Supplier<CompletionStage<Boolean>> ending) implements Lease {

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.ending.get();
	}

	@Override
	public String toString() {
		return "RedissonLease[key=%s, token=%s]".formatted(this.key, this.fencingToken);
	}

	/**
	 * How a lease is renewed.
	 */
	@FunctionalInterface
	interface Renewal {

		/**
		 * Send the renewal.
		 * @param scripts runs scripts, maybe together with others
		 * @param leaseTime how long the lease shall run from now
		 * @return completes with whether the owner still had it
		 */
		CompletionStage<Boolean> send(RScriptAsync scripts, Duration leaseTime);

	}

}
