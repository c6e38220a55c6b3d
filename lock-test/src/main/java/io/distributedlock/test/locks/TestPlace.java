package io.distributedlock.test.locks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;

/**
 * A place in the queue of a key, which is lost when its provider goes down.
 */
final class TestPlace implements LockQueue.Place {

	private final TestLockProvider provider;

	private final LockQueue.Place local;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	TestPlace(TestLockProvider provider, LeaseRequest request, LockQueue.Place local) {
		this.provider = provider;
		this.local = local;
		local.granted().whenComplete((lease, failure) -> {
			if (lease != null) {
				grant(provider.granted(request, lease));
			}
		});
	}

	private void grant(TestLease lease) {
		if (!this.granted.complete(lease)) {
			lease.end("nobody waits for it any more");
		}
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		if (this.provider.isDown()) {
			this.local.leave();
			this.granted.completeExceptionally(this.provider.outage());
		}
		else {
			this.local.lookAgain();
		}
	}

	@Override
	public boolean isBehindOthers() {
		return this.local.isBehindOthers();
	}

	@Override
	public void leave() {
		this.local.leave();
		this.granted.cancel(false);
	}

}
