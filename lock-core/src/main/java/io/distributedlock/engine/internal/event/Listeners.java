package io.distributedlock.engine.internal.event;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a template what happens to its locks, on threads for code of the
 * user. Costs nothing where no listener has code for an event.
 */
public final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	/**
	 * If so many calls of one listener have not returned, it is too slow for its locks,
	 * and more of them would only use up memory.
	 */
	public static final int MOST_CALLS = 10_000;

	private final EngineRuntime runtime;

	/**
	 * For each event those who hear it.
	 */
	private final EnumMap<ListenerEvent, List<Listening>> hearing = new EnumMap<>(ListenerEvent.class);

	public Listeners(EngineRuntime runtime, List<LockListener> listeners) {
		this.runtime = runtime;
		List<Listening> all = listeners.stream().map(Listening::new).toList();
		for (ListenerEvent event : ListenerEvent.values()) {
			this.hearing.put(event, all.stream().filter((each) -> each.heard.contains(event)).toList());
		}
	}

	public void waiting(LockAttempt attempt) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "waits");
		}
		tell(ListenerEvent.WAITING, attempt, LockListener::waiting);
	}

	/**
	 * Tell that a call has its lock.
	 * @param startNanos when it began
	 */
	public void acquired(LockAttempt attempt, long startNanos) {
		tellOfTime(ListenerEvent.ACQUIRED, attempt, "acquired", startNanos, LockListener::acquired);
	}

	/**
	 * Tell that a call has ended without its lock.
	 * @param startNanos when it began
	 */
	public void notAcquired(LockAttempt attempt, Reason reason, long startNanos) {
		tellOfTime(ListenerEvent.NOT_ACQUIRED, attempt, reason.name().toLowerCase(Locale.ROOT), startNanos,
				(listener, event, waited) -> listener.notAcquired(event, waited, reason));
	}

	/**
	 * Tell that the backend has failed for a call.
	 * @param startNanos when it began
	 */
	public void unavailable(LockAttempt attempt, Throwable failure, long startNanos) {
		tellOfTime(ListenerEvent.UNAVAILABLE, attempt, "unavailable", startNanos,
				(listener, event, waited) -> listener.unavailable(event, waited, failure));
	}

	private void tellOfTime(ListenerEvent kind, LockAttempt attempt, String step, long sinceNanos, Timed call) {
		if (!isUnheard(kind) || LockStory.isTold()) {
			Duration time = since(sinceNanos);
			if (LockStory.isTold()) {
				LockStory.tell(attempt, step, time);
			}
			tell(kind, attempt, (listener, event) -> call.tell(listener, event, time));
		}
	}

	public void renewed(LockAttempt attempt, long tookNanos) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "renewed", Duration.ofNanos(tookNanos));
		}
		tell(ListenerEvent.RENEWED, attempt, (listener, event) -> listener.renewed(event, Duration.ofNanos(tookNanos)));
	}

	public void renewalFailed(LockAttempt attempt, long leftNanos, Throwable failure) {
		tell(ListenerEvent.RENEWAL_FAILED, attempt,
				(listener, event) -> listener.renewalFailed(event, Duration.ofNanos(leftNanos), failure));
	}

	/**
	 * Tell that a lock goes to the next caller of this JVM.
	 * @param beganNanos when its hold began
	 */
	public void passedOn(LockAttempt attempt, long beganNanos) {
		tellOfTime(ListenerEvent.RELEASED, attempt, "passed on", beganNanos, LockListener::released);
	}

	/**
	 * Tell of a release.
	 * @param beganNanos when the hold began
	 * @param tookNanos how long the backend took to answer it
	 */
	public void released(LockAttempt attempt, long beganNanos, long tookNanos) {
		tell(ListenerEvent.RELEASE_ANSWERED, attempt,
				(listener, event) -> listener.releaseAnswered(event, Duration.ofNanos(tookNanos)));
		tellOfTime(ListenerEvent.RELEASED, attempt, "released", beganNanos, LockListener::released);
	}

	/**
	 * Tell that a holder left after its lock was lost.
	 * @param beganNanos when the hold began
	 */
	public void releasedLate(LockAttempt attempt, long beganNanos) {
		tellOfTime(ListenerEvent.RELEASED_LATE, attempt, "released late", beganNanos, LockListener::releasedLate);
	}

	/**
	 * Tell that the backend has failed to release.
	 * @param beganNanos when the hold began
	 */
	public void releaseFailed(LockAttempt attempt, long beganNanos, Throwable failure) {
		tellOfTime(ListenerEvent.RELEASE_FAILED, attempt, "not released", beganNanos,
				(listener, event, held) -> listener.releaseFailed(event, held, failure));
	}

	/**
	 * Tell of a loss, also listeners that are too slow for other events.
	 * @param beganNanos when the hold began
	 */
	public void lost(LockAttempt attempt, long beganNanos, LockLostException loss) {
		if (LockStory.isTold()) {
			LockStory.tell(attempt, "lost", since(beganNanos));
		}
		if (!isUnheard(ListenerEvent.LOST)) {
			Duration held = since(beganNanos);
			LockEvent event = attempt.event(this.runtime.nanoTime());
			hearing(ListenerEvent.LOST)
				.forEach((each) -> each.tellInAnyCase((listener) -> listener.lost(event, held, loss)));
		}
	}

	public void outageBegan(String provider, Throwable failure) {
		hearing(ListenerEvent.OUTAGE_BEGAN)
			.forEach((each) -> each.tellInOrder((listener) -> listener.outageBegan(provider, failure)));
	}

	public void outageEnded(String provider, Duration lasted) {
		hearing(ListenerEvent.OUTAGE_ENDED)
			.forEach((each) -> each.tellInOrder((listener) -> listener.outageEnded(provider, lasted)));
	}

	private void tell(ListenerEvent kind, LockAttempt attempt, BiConsumer<LockListener, LockEvent> call) {
		List<Listening> told = hearing(kind);
		if (!told.isEmpty()) {
			LockEvent event = attempt.event(this.runtime.nanoTime());
			told.forEach((each) -> each.tell((listener) -> call.accept(listener, event)));
		}
	}

	private Duration since(long nanos) {
		return Duration.ofNanos(this.runtime.nanoTime() - nanos);
	}

	private boolean isUnheard(ListenerEvent kind) {
		return hearing(kind).isEmpty();
	}

	private List<Listening> hearing(ListenerEvent kind) {
		return this.hearing.getOrDefault(kind, List.of());
	}

	/**
	 * A method of a listener that is told how long something has lasted.
	 */
	@FunctionalInterface
	private interface Timed {

		void tell(LockListener listener, LockEvent event, Duration time);

	}

	/**
	 * One listener, and how many of its calls have not returned.
	 */
	private final class Listening {

		private final LockListener listener;

		private final Set<ListenerEvent> heard;

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicBoolean dropping = new AtomicBoolean();

		/**
		 * What is to be told of outages.
		 */
		private final Queue<Consumer<LockListener>> outages = new ConcurrentLinkedQueue<>();

		private final AtomicBoolean tellingOfOutages = new AtomicBoolean();

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
					call(call);
				}
				finally {
					this.calls.decrementAndGet();
				}
			});
		}

		/**
		 * Tell of an outage, after those before: who hears of the end first would take
		 * the provider for down for ever.
		 */
		private void tellInOrder(Consumer<LockListener> call) {
			this.outages.add(call);
			tellInAnyCase((listener) -> {
				while (!this.outages.isEmpty() && this.tellingOfOutages.compareAndSet(false, true)) {
					for (Consumer<LockListener> next = this.outages.poll(); next != null; next = this.outages.poll()) {
						call(next);
					}
					this.tellingOfOutages.set(false);
				}
			});
		}

		private void call(Consumer<LockListener> call) {
			try {
				call.accept(this.listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener {} failed", this.listener, ex);
			}
		}

	}

}
