package io.distributedlock.jdbc.internal.signal;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockCapability;
import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseLimits;
import io.distributedlock.spi.LeaseRenewal;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.ReleaseSignal;
import org.jspecify.annotations.Nullable;

/**
 * Locks on a database that sends messages to waiters.
 */
public class NotifiedLockProvider implements LockProvider, LockQueue, ReleaseSignal {

	private final LockProvider delegate;

	private final PostgresReleases releases;

	public NotifiedLockProvider(LockProvider delegate, PostgresReleases releases) {
		this.delegate = delegate;
		this.releases = releases;
	}

	public LockProvider delegate() {
		return this.delegate;
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public Set<LockCapability> capabilities() {
		Set<LockCapability> capabilities = EnumSet.of(LockCapability.BLOCKING_WAIT);
		capabilities.addAll(this.delegate.capabilities());
		return capabilities;
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
		return this.delegate.tryAcquire(request);
	}

	@Override
	public List<? extends CompletionStage<@Nullable LeaseTerm>> renewAll(List<LeaseRenewal> renewals) {
		return this.delegate.renewAll(renewals);
	}

	@Override
	public boolean queues(LockType type) {
		return this.delegate instanceof LockQueue queue && queue.queues(type);
	}

	@Override
	public Place enqueue(LeaseRequest request) {
		if (this.delegate instanceof LockQueue queue) {
			return queue.enqueue(request);
		}
		throw new IllegalStateException("There is no queue for locks of type " + request.type());
	}

	@Override
	public Subscription listen(String key, Runnable onRelease) {
		return this.releases.listen(key, onRelease);
	}

	@Override
	public CompletionStage<?> ping() {
		return this.delegate.ping();
	}

	@Override
	public void close() {
		this.releases.close();
		this.delegate.close();
	}

}
