package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
 * user. Costs nothing where no listener has code for an event.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	/**
	 * If so many calls of one listener have not returned, it is too slow for its locks,
	 * and more of them would only use up memory.
	 */
	static final int MOST_CALLS = 10_000;

	private final EngineRuntime runtime;

	/**
	 * For each event those who hear it.
	 */
	private final EnumMap<ListenerEvent, List<Listening>> hearing = new EnumMap<>(ListenerEvent.class);

	Listeners(EngineRuntime runtime, List<LockListener> listeners) {
		this.runtime = runtime;
		List<Listening> all = listeners.stream().map(Listening::new).toList();
		for (ListenerEvent event : ListenerEvent.values()) {
			this.hearing.put(event, all.stream().filter((each) -> each.heard.contains(event)).toList());
		}
	}

	void waiting(LockAttempt attempt) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "waits");
		}
		tell(ListenerEvent.WAITING, attempt, LockListener::waiting);
	}

	void ended(LockAttempt attempt, AcquisitionOutcome outcome, long startNanos, Duration commandTimeout) {
		ListenerEvent kind = kindOf(outcome);
		if (isUnheard(kind) && !LockStory.isTold()) {
			return;
		}
		Duration waited = Duration.ofNanos(this.runtime.nanoTime() - startNanos);
		if (LockStory.isTold()) {
			LockStory.tell(attempt, outcome.status().name().toLowerCase(Locale.ROOT), waited);
		}
		switch (outcome.status()) {
			case ACQUIRED -> tell(kind, attempt, (listener, event) -> listener.acquired(event, waited));
			case CONTENDED -> notAcquired(attempt, waited, Reason.CONTENDED);
			case CROWDED -> notAcquired(attempt, waited, Reason.CROWDED);
			case INTERRUPTED -> notAcquired(attempt, waited, Reason.INTERRUPTED);
			case CLOSED -> notAcquired(attempt, waited, Reason.CLOSED);
			case UNANSWERED -> unavailable(attempt, waited, new NoAnswerException(commandTimeout));
			case UNAVAILABLE -> unavailable(attempt, waited, outcome.requiredFailure());
		}
	}

	private static ListenerEvent kindOf(AcquisitionOutcome outcome) {
		return switch (outcome.status()) {
			case ACQUIRED -> ListenerEvent.ACQUIRED;
			case CONTENDED, CROWDED, INTERRUPTED, CLOSED -> ListenerEvent.NOT_ACQUIRED;
			case UNANSWERED, UNAVAILABLE -> ListenerEvent.UNAVAILABLE;
		};
	}

	private void notAcquired(LockAttempt attempt, Duration waited, Reason reason) {
		tell(ListenerEvent.NOT_ACQUIRED, attempt, (listener, event) -> listener.notAcquired(event, waited, reason));
	}

	private void unavailable(LockAttempt attempt, Duration waited, Throwable failure) {
		tell(ListenerEvent.UNAVAILABLE, attempt, (listener, event) -> listener.unavailable(event, waited, failure));
	}

	void renewed(LockAttempt attempt, long tookNanos) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "renewed", Duration.ofNanos(tookNanos));
		}
		tell(ListenerEvent.RENEWED, attempt, (listener, event) -> listener.renewed(event, Duration.ofNanos(tookNanos)));
	}

	void renewalFailed(LockAttempt attempt, long leftNanos, Throwable failure) {
		tell(ListenerEvent.RENEWAL_FAILED, attempt,
				(listener, event) -> listener.renewalFailed(event, Duration.ofNanos(leftNanos), failure));
	}

	void passedOn(HeldLock lock) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "passed on", lock.heldFor());
		}
		tellReleased(lock);
	}

	private void tellReleased(HeldLock lock) {
		if (!isUnheard(ListenerEvent.RELEASED)) {
			Duration held = lock.heldFor();
			tell(ListenerEvent.RELEASED, lock.attempt(), (listener, event) -> listener.released(event, held));
		}
	}

	/**
	 * Tell of a release.
	 * @param tookNanos how long the backend took to answer it
	 */
	void released(HeldLock lock, long tookNanos) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "released", lock.heldFor());
		}
		tell(ListenerEvent.RELEASE_ANSWERED, lock.attempt(),
				(listener, event) -> listener.releaseAnswered(event, Duration.ofNanos(tookNanos)));
		tellReleased(lock);
	}

	void releasedLate(HeldLock lock) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "released late", lock.heldFor());
		}
		if (!isUnheard(ListenerEvent.RELEASED_LATE)) {
			Duration held = lock.heldFor();
			tell(ListenerEvent.RELEASED_LATE, lock.attempt(), (listener, event) -> listener.releasedLate(event, held));
		}
	}

	void releaseFailed(HeldLock lock, Throwable failure) {
		if (!isUnheard(ListenerEvent.RELEASE_FAILED)) {
			Duration held = lock.heldFor();
			tell(ListenerEvent.RELEASE_FAILED, lock.attempt(),
					(listener, event) -> listener.releaseFailed(event, held, failure));
		}
	}

	void lost(HeldLock lock, LockLostException loss) {
		if (LockStory.isTold()) {
			LockStory.tell(lock.attempt(), "lost", lock.heldFor());
		}
		if (!isUnheard(ListenerEvent.LOST)) {
			Duration held = lock.heldFor();
			LockEvent event = lock.attempt().event(this.runtime.nanoTime());
			hearing(ListenerEvent.LOST)
				.forEach((each) -> each.tellInAnyCase((listener) -> listener.lost(event, held, loss)));
		}
	}

	void outageBegan(String provider, Throwable failure) {
		hearing(ListenerEvent.OUTAGE_BEGAN)
			.forEach((each) -> each.tellInAnyCase((listener) -> listener.outageBegan(provider, failure)));
	}

	void outageEnded(String provider, Duration lasted) {
		hearing(ListenerEvent.OUTAGE_ENDED)
			.forEach((each) -> each.tellInAnyCase((listener) -> listener.outageEnded(provider, lasted)));
	}

	private void tell(ListenerEvent kind, LockAttempt attempt, BiConsumer<LockListener, LockEvent> call) {
		List<Listening> told = hearing(kind);
		if (!told.isEmpty()) {
			LockEvent event = attempt.event(this.runtime.nanoTime());
			told.forEach((each) -> each.tell((listener) -> call.accept(listener, event)));
		}
	}

	private boolean isUnheard(ListenerEvent kind) {
		return hearing(kind).isEmpty();
	}

	private List<Listening> hearing(ListenerEvent kind) {
		return this.hearing.getOrDefault(kind, List.of());
	}

	/**
	 * One listener, and how many of its calls have not returned.
	 */
	private final class Listening {

		private final LockListener listener;

		private final Set<ListenerEvent> heard;

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicBoolean dropping = new AtomicBoolean();

		private Listening(LockListener listener) {
			this.listener = listener;
			this.heard = ListenerEvent.heardBy(listener);
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
