package io.distributedlock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.LockCapability;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import org.redisson.api.RedissonClient;

/**
 * Shuts the client down with the provider, as the kit wants it.
 */
record ClosingProvider(RedissonLockProvider delegate, RedissonClient client) implements LockProvider, ReleaseSignal {

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public Set<LockCapability> capabilities() {
		return this.delegate.capabilities();
	}

	@Override
	public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
		return this.delegate.tryAcquire(request);
	}

	@Override
	public List<? extends CompletionStage<LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return this.delegate.renewAll(renewals);
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.delegate.listen(key, onRelease);
	}

	@Override
	public void close() {
		this.delegate.close();
		this.client.shutdown(0, Duration.ofSeconds(5).toMillis(), TimeUnit.MILLISECONDS);
	}

}
