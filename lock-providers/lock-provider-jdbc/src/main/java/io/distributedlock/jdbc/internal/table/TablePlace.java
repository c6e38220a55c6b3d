package io.distributedlock.jdbc.internal.table;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits in the line of this JVM for a key.
 */
final class TablePlace implements LockQueue.Place {

	private final TableLine line;

	private final LeaseRequest request;

	private final long sinceNanos = System.nanoTime();

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	/**
	 * Completes with the first answer: the lease, or {@code null} if others are in front.
	 */
	private final CompletableFuture<@Nullable Lease> answered = new CompletableFuture<>();

	/**
	 * Whether the database has ever confirmed the place.
	 */
	private volatile boolean confirmed;

	/**
	 * Whether the last answer was that others are in front.
	 */
	private volatile boolean behindOthers;

	TablePlace(TableLine line, LeaseRequest request) {
		this.line = line;
		this.request = request;
	}

	LeaseRequest request() {
		return this.request;
	}

	long sinceNanos() {
		return this.sinceNanos;
	}

	CompletionStage<@Nullable Lease> answered() {
		return this.answered;
	}

	@Override
	public CompletionStage<Lease> granted() {
		return this.granted;
	}

	@Override
	public void lookAgain() {
		this.line.look(this);
	}

	@Override
	public boolean isBehindOthers() {
		return this.behindOthers;
	}

	@Override
	public void leave() {
		this.line.leave(this);
	}

	void grant(Lease lease) {
		this.answered.complete(lease);
		if (!this.granted.complete(lease)) {
			lease.release();
		}
	}

	void confirm() {
		this.confirmed = true;
		this.behindOthers = true;
		this.answered.complete(null);
	}

	/**
	 * Note that a question has failed. A place that the database has confirmed stays in
	 * the queue for a while: the next question may find it there.
	 */
	void fail(Throwable failure) {
		this.behindOthers = false;
		Throwable cause = Failures.unwrap(failure);
		boolean mayPass = cause instanceof BackendException backendFailure && backendFailure.isRetryable();
		if (!mayPass || !this.confirmed) {
			leave();
			this.answered.completeExceptionally(cause);
			this.granted.completeExceptionally(cause);
		}
	}

}
