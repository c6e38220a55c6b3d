package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A row that one owner has.
 *
 * @param provider what granted it
 * @param key the key
 * @param owner the owner's secret
 * @param token the fencing token
 * @param term the first term
 */
record TableLease(TableLockProvider provider, String key, String owner, long token, LeaseTerm term) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return OptionalLong.of(this.token);
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
		return "TableLease[key=%s, token=%d]".formatted(this.key, this.token);
	}

}
