package io.distributedlock.micrometer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * A provider whose backend is down.
 *
 * @param failure what each attempt fails with
 */
record BrokenProvider(RuntimeException failure) implements LockProvider {

	@Override
	public String name() {
		return "broken";
	}

	@Override
	public CompletionStage<?> ping() {
		return CompletableFuture.failedFuture(this.failure);
	}

	@Override
	public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
		return CompletableFuture.failedFuture(this.failure);
	}

}
