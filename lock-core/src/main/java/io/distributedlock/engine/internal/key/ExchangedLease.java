package io.distributedlock.engine.internal.key;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseExchange;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;

/**
 * A lease that is released in the same step in which another call takes its place.
 * <p>
 * Why: docs/decisions/043-passed-on-inside-a-jvm.md
 */
final class ExchangedLease implements Function<LeaseRequest, LockQueue.Place> {

	private final LeaseExchange queue;

	private final Lease lease;

	/**
	 * {@code null} until the provider is asked.
	 */
	private @Nullable CompletionStage<Boolean> released;

	ExchangedLease(LeaseExchange queue, Lease lease) {
		this.queue = queue;
		this.lease = lease;
	}

	@Override
	public LockQueue.Place apply(LeaseRequest request) {
		try {
			LeaseExchange.Exchange exchange = this.queue.exchange(this.lease, request);
			if (exchange == null) {
				throw new BackendException("the provider returned null instead of an exchange", false, null);
			}
			this.released = exchange.released();
			return exchange.place();
		}
		catch (Throwable ex) {
			this.released = CompletableFuture.failedFuture(ex);
			throw ex;
		}
	}

	/**
	 * Return the answer to the release, after the place was asked for. If it was not, the
	 * lease is released by itself.
	 */
	CompletionStage<Boolean> released() {
		CompletionStage<Boolean> asked = this.released;
		return (asked != null) ? asked : this.lease.release();
	}

}
