package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * What one owner has of a row.
 *
 * @param key the key
 * @param fencingToken the fencing token, none for a permit of a semaphore
 * @param term the first term
 * @param renewal lets it run anew, and gives whether the owner still had it
 * @param ending gives it back
 * @param reader the same owner when it only reads, if it is a writer
 */
record TableLease(String key, OptionalLong fencingToken, LeaseTerm term,
		Function<Duration, CompletionStage<Boolean>> renewal, Supplier<CompletionStage<Boolean>> ending,
		@Nullable TableLease reader) implements Lease {

	TableLease withToken(long token) {
		return new TableLease(this.key, OptionalLong.of(token), this.term, this.renewal, this.ending,
				(this.reader != null) ? this.reader.withToken(token) : null);
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		LeaseTerm renewed = new LeaseTerm(System.nanoTime(), leaseTime);
		return this.renewal.apply(leaseTime).thenApply((still) -> still ? renewed : null);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.ending.get();
	}

	@Override
	public Optional<Lease> asReader() {
		return Optional.ofNullable(this.reader);
	}

	@Override
	public String toString() {
		return "TableLease[key=%s, token=%s]".formatted(this.key, this.fencingToken);
	}

}
