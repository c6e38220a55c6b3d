package io.distributedlock.redis;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A key that one owner has set on a majority of servers.
 *
 * @param provider what granted it
 * @param attempt which key and owner that is
 * @param term the first term
 */
record RedlockLease(RedlockProvider provider, RedlockAttempt attempt, LeaseTerm term) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.empty();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.provider.renew(this.attempt, leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.provider.release(this.attempt, this.term.granted());
	}

	@Override
	public String toString() {
		return "RedlockLease[key=%s]".formatted(this.attempt.key());
	}

}
