package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a template what happens to its locks, on threads for code of the
 * user. Costs nothing where there are no listeners.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	/**
	 * If so many calls of one listener have not returned, it is too slow for its locks,
	 * and more of them would only use up memory.
	 */
	static final int MOST_CALLS = 10_000;

	private final EngineRuntime runtime;

	private final List<Listening> all;

	Listeners(EngineRuntime runtime, List<LockListener> listeners) {
		this.runtime = runtime;
		this.all = listeners.stream().map(Listening::new).toList();
	}

	void waiting(LockAttempt attempt) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "waits");
		}
		tell(attempt, LockListener::waiting);
	}

	void ended(LockAttempt attempt, AcquisitionOutcome outcome, long startNanos, Duration commandTimeout) {
		if (this.all.isEmpty() && !LockStory.isTold()) {
			return;
		}
		Duration waited = Duration.ofNanos(this.runtime.nanoTime() - startNanos);
		if (LockStory.isTold()) {
			LockStory.tell(attempt, outcome.status().name().toLowerCase(Locale.ROOT), waited);
		}
		switch (outcome.status()) {
			case ACQUIRED -> tell(attempt, (listener, event) -> listener.acquired(event, waited));
			case CONTENDED -> notAcquired(attempt, waited, Reason.CONTENDED);
			case CROWDED -> notAcquired(attempt, waited, Reason.CROWDED);
			case INTERRUPTED -> notAcquired(attempt, waited, Reason.INTERRUPTED);
			case CLOSED -> notAcquired(attempt, waited, Reason.CLOSED);
			case UNANSWERED -> unavailable(attempt, waited, new NoAnswerException(commandTimeout));
			case UNAVAILABLE -> unavailable(attempt, waited, outcome.requiredFailure());
		}
	}

	private void notAcquired(LockAttempt attempt, Duration waited, Reason reason) {
		tell(attempt, (listener, event) -> listener.notAcquired(event, waited, reason));
	}

	private void unavailable(LockAttempt attempt, Duration waited, Throwable failure) {
		tell(attempt, (listener, event) -> listener.unavailable(event, waited, failure));
	}

	void renewed(LockAttempt attempt, long tookNanos) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "renewed", Duration.ofNanos(tookNanos));
		}
		tell(attempt, (listener, event) -> listener.renewed(event, Duration.ofNanos(tookNanos)));
	}

	void renewalFailed(LockAttempt attempt, long leftNanos, Throwable failure) {
		tell(attempt, (listener, event) -> listener.renewalFailed(event, Duration.ofNanos(leftNanos), failure));
	}

	void released(HeldLock lock) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "released", lock.heldFor());
		}
		if (!this.all.isEmpty()) {
			Duration held = lock.heldFor();
			tell(lock.attempt(), (listener, event) -> listener.released(event, held));
		}
	}

	void releasedLate(HeldLock lock) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "released late", lock.heldFor());
		}
		if (!this.all.isEmpty()) {
			Duration held = lock.heldFor();
			tell(lock.attempt(), (listener, event) -> listener.releasedLate(event, held));
		}
	}

	void releaseFailed(HeldLock lock, Throwable failure) {
		if (!this.all.isEmpty()) {
			Duration held = lock.heldFor();
			tell(lock.attempt(), (listener, event) -> listener.releaseFailed(event, held, failure));
		}
	}

	void lost(HeldLock lock, LockLostException loss) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "lost", lock.heldFor());
		}
		if (!this.all.isEmpty()) {
			Duration held = lock.heldFor();
			LockEvent event = lock.attempt().event(this.runtime.nanoTime());
			this.all.forEach((each) -> each.tellInAnyCase((listener) -> listener.lost(event, held, loss)));
		}
	}

	private void tell(LockAttempt attempt, BiConsumer<LockListener, LockEvent> call) {
		if (!this.all.isEmpty()) {
			LockEvent event = attempt.event(this.runtime.nanoTime());
			this.all.forEach((each) -> each.tell((listener) -> call.accept(listener, event)));
		}
	}

	/**
	 * One listener, and how many of its calls have not returned.
	 */
	private final class Listening {

		private final LockListener listener;

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicBoolean dropping = new AtomicBoolean();

		private Listening(LockListener listener) {
			this.listener = listener;
		}

		private void tell(Consumer<LockListener> call) {
			if (this.calls.get() < MOST_CALLS) {
				this.dropping.set(false);
				tellInAnyCase(call);
			}
			else if (this.dropping.compareAndSet(false, true)) {
				logger.warn(
						"Lock listener {} is too slow: {} of its calls have not returned. Events are dropped until it returns",
						this.listener, MOST_CALLS);
			}
		}

		private void tellInAnyCase(Consumer<LockListener> call) {
			this.calls.incrementAndGet();
			Listeners.this.runtime.callBack(() -> {
				try {
					call.accept(this.listener);
				}
				catch (Throwable ex) {
					logger.error("Lock listener {} failed", this.listener, ex);
				}
				finally {
					this.calls.decrementAndGet();
				}
			});
		}

	}

}
