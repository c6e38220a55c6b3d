package io.distributedlock.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a writer, who can continue as a reader.
 *
 * @param exclusive the lease while nobody else has the key
 * @param reader the same owner's lease as a reader
 */
record WriterLease(Lease exclusive, SharedLease reader) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return this.exclusive.fencingToken();
	}

	@Override
	public int fencingTokens() {
		return this.exclusive.fencingTokens();
	}

	@Override
	public boolean isAwaited() {
		return this.exclusive.isAwaited();
	}

	@Override
	public Optional<String> ownerId() {
		return this.exclusive.ownerId();
	}

	@Override
	public LeaseTerm term() {
		return this.exclusive.term();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.exclusive.renew(leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.exclusive.release();
	}

	@Override
	public Optional<Lease> asReader() {
		return Optional.of(this.reader);
	}

}
