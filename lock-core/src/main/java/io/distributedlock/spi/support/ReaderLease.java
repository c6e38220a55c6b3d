package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A writer's lease as a reader's, see {@link Lease#asReader}. For providers whose release
 * is the same for writers and readers.
 * <p>
 * Why: docs/decisions/011-downgrade-is-a-renewal.md
 *
 * @param writer the lease that was granted
 * @param renewal makes the writer a reader if it is not one yet, and renews, see
 * {@link Lease#renew}
 * @since 0.1
 */
public record ReaderLease(Lease writer,
		Function<Duration, CompletionStage<@Nullable LeaseTerm>> renewal) implements Lease {

	@Override
	public OptionalLong fencingToken() {
		return this.writer.fencingToken();
	}

	@Override
	public Optional<String> ownerId() {
		return this.writer.ownerId();
	}

	@Override
	public LeaseTerm term() {
		return this.writer.term();
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return this.renewal.apply(leaseTime);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return this.writer.release();
	}

	@Override
	public String toString() {
		return "ReaderLease[" + this.writer + "]";
	}

}
