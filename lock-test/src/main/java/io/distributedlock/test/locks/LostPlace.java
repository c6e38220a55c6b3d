package io.distributedlock.test.locks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LockQueue;

/**
 * A place that could not be taken.
 *
 * @param outage why
 */
record LostPlace(BackendException outage) implements LockQueue.Place {

	@Override
	public CompletionStage<Lease> granted() {
		return CompletableFuture.failedFuture(this.outage);
	}

	@Override
	public void lookAgain() {
	}

	@Override
	public boolean isBehindOthers() {
		return false;
	}

	@Override
	public void leave() {
	}

}
