package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A place in the queue of a backend, until it is granted or left. The backend is asked
 * about it at intervals. A place that the backend does not confirm within the command
 * time-out has failed.
 * <p>
 * Why: docs/decisions/015-one-place-in-the-queue-of-a-backend.md
 */
final class QueuedPlace {

	private static final Logger logger = LoggerFactory.getLogger(QueuedPlace.class);

	private final LockAttempt attempt;

	private final int tokens;

	private final Engine engine;

	private final CompletableFuture<Lease> granted = new CompletableFuture<>();

	private final AtomicReference<Timers.@Nullable Timer> lookTimer = new AtomicReference<>();

	private volatile LockQueue.@Nullable Place place;

	QueuedPlace(LockAttempt attempt, int tokens, Engine engine) {
		this.attempt = attempt;
		this.tokens = tokens;
		this.engine = engine;
	}

	/**
	 * Return a future that completes with the lease, fails if the place was lost, and is
	 * cancelled when the place is left.
	 */
	CompletableFuture<Lease> granted() {
		return this.granted;
	}

	/**
	 * Take the place.
	 * @param giveUpAtNanos when the caller gives up
	 * @param onConfirmed called after the command time-out, if the backend has confirmed
	 * the place by then
	 */
	void enter(LockQueue queue, long giveUpAtNanos, Runnable onConfirmed) {
		Timers.Timer limit = this.engine.timers()
			.stepAt(this.engine.nanoTime() + this.engine.questions().commandTimeoutNanos(),
					() -> requireConfirmation(onConfirmed));
		this.granted.whenComplete((lease, failure) -> {
			limit.cancel();
			cancelLook();
		});
		LeaseRequest request = this.attempt.request(giveUpAtNanos, this.tokens, this.engine.pollNanos());
		this.engine.questions().follow(this.granted, () -> {
			LockQueue.Place entered = queue.enqueue(request);
			this.place = entered;
			return entered.granted();
		}, (lease) -> this.engine.releaser().releaseInBackground(this.attempt, lease));
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
		try {
			return current != null && current.isBehindOthers();
		}
		catch (Throwable ex) {
			logger.warn("A place in the queue for lock '{}' failed when it was asked whether others are in front",
					this.attempt.key(), ex);
			return false;
		}
	}

	/**
	 * Leave the queue. Idempotent.
	 */
	void leave() {
		if (this.granted.cancel(false)) {
			leaveBackend();
		}
	}

	private void requireConfirmation(Runnable onConfirmed) {
		if (isBehindOthers()) {
			onConfirmed.run();
		}
		// the future fails before the place is left: a later grant must not count
		else if (this.granted.completeExceptionally(new NoAnswerException(this.engine.commandTimeout()))) {
			leaveBackend();
		}
	}

	private void leaveBackend() {
		LockQueue.Place current = this.place;
		if (current != null) {
			Guard.run("leaving the queue of a backend", current::leave);
		}
	}

	private void lookLater() {
		long interval = this.attempt.lookNanos(this.engine.pollNanos());
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
			Guard.run("asking about a place in a queue", current::lookAgain);
			lookLater();
		}
	}

}
