package io.distributedlock.jdbc.internal.table;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.WatchingPlace;

/**
 * A call in the line of this JVM for a key, which asks for all of them.
 */
final class TablePlace extends WatchingPlace {

	private final TableLine line;

	private final LeaseRequest request;

	private final boolean mayWait;

	private final long sinceNanos = System.nanoTime();

	/**
	 * Create a place.
	 * @param mayWait whether to stay if others are in front
	 */
	TablePlace(TableLine line, LeaseRequest request, boolean mayWait) {
		super(Failures::unwrap);
		this.line = line;
		this.request = request;
		this.mayWait = mayWait;
	}

	LeaseRequest request() {
		return this.request;
	}

	long sinceNanos() {
		return this.sinceNanos;
	}

	@Override
	protected CompletionStage<?> look() {
		this.line.look(this);
		return CompletableFuture.completedFuture(true);
	}

	@Override
	protected void remove() {
		this.line.leave(this);
	}

	void take(Lease lease) {
		if (!grant(lease)) {
			lease.release();
		}
	}

	void confirm() {
		if (this.mayWait) {
			stayBehindOthers();
		}
		else {
			refuse();
		}
	}

	void failed(Throwable failure) {
		onLookFailed(failure);
	}

}
