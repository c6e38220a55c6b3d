package io.distributedlock.local;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;

/**
 * A place in the queue of a key.
 */
final class LocalPlace implements LockQueue.Place {

	private final LocalLockProvider provider;

	private final LeaseRequest request;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	LocalPlace(LocalLockProvider provider, LeaseRequest request) {
		this.provider = provider;
		this.request = request;
	}

	LeaseRequest request() {
		return this.request;
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		if (!this.granted.isDone()) {
			LocalLease lease = this.provider.take(this.request, this);
			if (lease != null && !this.granted.complete(lease)) {
				lease.release();
			}
		}
	}

	@Override
	public boolean isBehindOthers() {
		return !this.granted.isDone();
	}

	@Override
	public void leave() {
		this.provider.leave(this);
		this.granted.cancel(false);
	}

}
