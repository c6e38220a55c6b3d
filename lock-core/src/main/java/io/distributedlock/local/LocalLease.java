package io.distributedlock.local;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockType;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseTerm;
import org.jspecify.annotations.Nullable;

/**
 * A lease is its own owner: only an object that is among the holders may renew or
 * release.
 */
final class LocalLease implements Lease {

	private final LocalLockProvider provider;

	private final LeaseRequest request;

	private volatile LeaseTerm firstTerm;

	private volatile long expiresAtNanos;

	private volatile long token;

	LocalLease(LocalLockProvider provider, LeaseRequest request) {
		this.provider = provider;
		this.request = request;
		this.firstTerm = new LeaseTerm(System.nanoTime(), request.leaseTime());
	}

	LeaseRequest request() {
		return this.request;
	}

	void start(long token) {
		this.token = token;
		this.firstTerm = runFor(this.request.leaseTime());
	}

	boolean isExpired() {
		return this.expiresAtNanos - System.nanoTime() <= 0;
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
		LeaseTerm[] term = new LeaseTerm[1];
		boolean held = this.provider.whileHeld(this, () -> term[0] = runFor(leaseTime));
		return CompletableFuture.completedFuture(held ? term[0] : null);
	}

	@Override
	public CompletionStage<Boolean> release() {
		return CompletableFuture.completedFuture(this.provider.release(this));
	}

	private LeaseTerm runFor(Duration leaseTime) {
		LeaseTerm term = new LeaseTerm(System.nanoTime(), leaseTime);
		this.expiresAtNanos = term.startNanos() + leaseTime.toNanos();
		return term;
	}

}
