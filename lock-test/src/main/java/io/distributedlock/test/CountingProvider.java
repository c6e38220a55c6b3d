package io.distributedlock.test;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts, renewals and releases of a provider. It hides the provider's
 * release signals and its queue, as if every signal were lost.
 *
 * @since 0.1
 */
public final class CountingProvider implements LockProvider {

	private final LockProvider delegate;

	private final AtomicInteger attempts = new AtomicInteger();

	private final AtomicInteger renewals = new AtomicInteger();

	private final AtomicInteger releases = new AtomicInteger();

	/**
	 * Count the calls of a provider.
	 * @param delegate the provider, which is closed with this one
	 */
	public CountingProvider(LockProvider delegate) {
		this.delegate = delegate;
	}

	/**
	 * Return how many attempts were made.
	 * @return the number of calls
	 */
	public int attempts() {
		return this.attempts.get();
	}

	/**
	 * Return how many renewals were requested.
	 * @return the number of calls
	 */
	public int renewals() {
		return this.renewals.get();
	}

	/**
	 * Return how many releases were requested.
	 * @return the number of calls
	 */
	public int releases() {
		return this.releases.get();
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public Set<LockCapability> capabilities() {
		return this.delegate.capabilities();
	}

	@Override
	public LeaseLimits leaseLimits() {
		return this.delegate.leaseLimits();
	}

	@Override
	public Duration handOverTime() {
		return this.delegate.handOverTime();
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		this.attempts.incrementAndGet();
		return this.delegate.tryAcquire(request).thenApply((lease) -> (lease != null) ? new CountedLease(lease) : null);
	}

	@Override
	public CompletionStage<?> ping() {
		return this.delegate.ping();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	private final class CountedLease implements Lease {

		private final Lease lease;

		private CountedLease(Lease lease) {
			this.lease = lease;
		}

		@Override
		public Optional<String> ownerId() {
			return this.lease.ownerId();
		}

		@Override
		public OptionalLong fencingToken() {
			return this.lease.fencingToken();
		}

		@Override
		public int fencingTokens() {
			return this.lease.fencingTokens();
		}

		@Override
		public boolean isAwaited() {
			return this.lease.isAwaited();
		}

		@Override
		public LeaseTerm term() {
			return this.lease.term();
		}

		@Override
		public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
			CountingProvider.this.renewals.incrementAndGet();
			return this.lease.renew(leaseTime);
		}

		@Override
		public CompletionStage<Boolean> release() {
			CountingProvider.this.releases.incrementAndGet();
			return this.lease.release();
		}

		@Override
		public void onLost(LossSignal signal) {
			this.lease.onLost(signal);
		}

	}

}
