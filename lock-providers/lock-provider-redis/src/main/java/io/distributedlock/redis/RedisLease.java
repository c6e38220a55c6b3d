package io.distributedlock.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A key that one owner has, alone or with others.
 *
 * @param provider what granted it
 * @param name the name of the key on the server
 * @param channel where its release is told
 * @param owner the owner's secret
 * @param shared whether others may have it too
 * @param fencingToken the token, none for a permit of a semaphore
 * @param term the first term
 */
record RedisLease(RedisLockProvider provider, String name, String channel, String owner, boolean shared,
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
		return Optional
			.of(new RedisLease(this.provider, this.name, this.channel, this.owner, true, this.fencingToken, this.term));
	}

	@Override
	public String toString() {
		return "RedisLease[name=%s, token=%s]".formatted(this.name, this.fencingToken);
	}

}
