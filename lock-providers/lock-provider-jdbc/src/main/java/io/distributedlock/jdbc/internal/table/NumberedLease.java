package io.distributedlock.jdbc.internal.table;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease that brings several fencing tokens: the counter of its row has gone up by so
 * many at once.
 *
 * @param lease the lease, with the first token
 * @param fencingTokens how many tokens there are
 */
record NumberedLease(Lease lease, int fencingTokens) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return this.lease.fencingToken();
	}

	@Override
	public Optional<String> ownerId() {
		return this.lease.ownerId();
	}

	@Override
	public LeaseTerm term() {
		return this.lease.term();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.lease.renew(leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.lease.release();
	}

}
