package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of a backend, looked after until it is granted or left. A place
 * that the backend does not confirm within the command time-out has failed.
 */
final class QueuedPlace {

	/**
	 * A place is kept by a lease too.
	 */
	private static final int LOOKS_PER_LEASE = 4;

	private final LockAttempt attempt;

	private final Engine engine;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final AtomicReference<Timers.@Nullable Timer> lookTimer = new AtomicReference<>();

	private volatile LockQueue.@Nullable Place place;

	QueuedPlace(LockAttempt attempt, Engine engine) {
		this.attempt = attempt;
		this.engine = engine;
	}

	/**
	 * Return what completes with the lease, fails if the place was lost, and is cancelled
	 * when it is left.
	 */
	CompletableFuture<Lease> granted() {
		return this.granted;
	}

	void enter(LockQueue queue, long giveUpAtNanos) {
		Timers.Timer limit = this.engine.timers()
			.stepAt(this.engine.nanoTime() + this.engine.questions().commandTimeoutNanos(), this::requireConfirmation);
		this.granted.whenComplete((lease, failure) -> {
			limit.cancel();
			cancelLook();
		});
		LeaseRequest request = this.attempt.request(giveUpAtNanos);
		this.engine.questions().follow(this.granted, () -> {
			LockQueue.Place entered = queue.enqueue(request);
			this.place = entered;
			return entered.granted();
		}, (lease) -> this.engine.releaser().giveBackUnheld(this.attempt, lease));
		if (this.granted.isCompletedExceptionally()) {
			leaveBackend();
		}
		else if (!this.granted.isDone()) {
			lookLater();
		}
	}

	/**
	 * Return whether the backend has confirmed that others are in front.
	 */
	boolean isBehindOthers() {
		LockQueue.Place current = this.place;
		return current != null && current.isBehindOthers();
	}

	/**
	 * Leave the queue. Idempotent.
	 */
	void leave() {
		if (this.granted.cancel(false)) {
			leaveBackend();
		}
	}

	private void requireConfirmation() {
		boolean confirmed = false;
		try {
			confirmed = isBehindOthers();
		}
		finally {
			// first: a grant that comes after the place is left must not count
			if (!confirmed && this.granted.completeExceptionally(new NoAnswerException(this.engine.commandTimeout()))) {
				leaveBackend();
			}
		}
	}

	private void leaveBackend() {
		LockQueue.Place current = this.place;
		if (current != null) {
			Guard.run("leaving the queue of a backend", current::leave);
		}
	}

	private void lookLater() {
		long interval = Math.min(this.engine.pollNanos(), this.attempt.leaseOnBackend().toNanos() / LOOKS_PER_LEASE);
		this.lookTimer.set(this.engine.timers().stepAt(this.engine.nanoTime() + interval, this::look));
		if (this.granted.isDone()) {
			cancelLook();
		}
	}

	private void cancelLook() {
		Timers.Timer timer = this.lookTimer.getAndSet(null);
		if (timer != null) {
			timer.cancel();
		}
	}

	private void look() {
		LockQueue.Place current = this.place;
		if (current != null && !this.granted.isDone()) {
			Guard.run("a look at a place in a queue", current::lookAgain);
			lookLater();
		}
	}

}
