package io.distributedlock.local;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.spi.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * A lease of this JVM. It is its own owner: only a lease that is among the holders of its
 * key can be renewed or released.
 */
final class LocalLease implements Lease {

	private final LocalLockProvider provider;

	private final LeaseRequest request;

	private final long token;

	private final LeaseTerm firstTerm;

	private volatile long expiresAtNanos;

	LocalLease(LocalLockProvider provider, LeaseRequest request, long token) {
		this.provider = provider;
		this.request = request;
		this.token = token;
		this.firstTerm = runFor(request.leaseTime());
	}

	LockType type() {
		return this.request.type();
	}

	LeaseRequest request() {
		return this.request;
	}

	boolean isExpired() {
		return this.expiresAtNanos - this.provider.nanoTime() <= 0;
	}

	LockOwner owner() {
		return new LockOwner(id(), type(), fencingToken(),
				Optional.of(Duration.ofNanos(Math.max(0, this.expiresAtNanos - this.provider.nanoTime()))));
	}

	/**
	 * Return a name of this lease: also owners of permits have a number.
	 */
	String id() {
		return "local." + this.token;
	}

	@Override
	public Optional<String> ownerId() {
		return Optional.of(id());
	}

	@Override
	public OptionalLong fencingToken() {
		return (this.request.type() == LockType.SEMAPHORE) ? OptionalLong.empty() : OptionalLong.of(this.token);
	}

	@Override
	public LeaseTerm term() {
		return this.firstTerm;
	}

	@Override
	public CompletionStage<@Nullable LeaseTerm> renew(Duration leaseTime) {
		return CompletableFuture.completedFuture(this.provider.renew(this, leaseTime));
	}

	@Override
	public CompletionStage<Boolean> release() {
		return CompletableFuture.completedFuture(this.provider.release(this));
	}

	LeaseTerm runFor(Duration leaseTime) {
		LeaseTerm term = new LeaseTerm(this.provider.nanoTime(), leaseTime);
		this.expiresAtNanos = term.startNanos() + leaseTime.toNanos();
		return term;
	}

}
