package io.distributedlock.engine.internal.event;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a template what happens to its locks, on threads for code of the
 * user. Costs nothing where no listener hears of an event.
 */
public final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	/**
	 * If so many calls of one listener have not returned, it is too slow for its locks,
	 * and more of them would only use up memory.
	 */
	public static final int MOST_CALLS = 10_000;

	private final EngineRuntime runtime;

	private final List<Listening> all;

	/**
	 * For each kind of events those who hear it.
	 */
	private final ConcurrentHashMap<Class<? extends LockEvent>, List<Listening>> hearing = new ConcurrentHashMap<>();

	public Listeners(EngineRuntime runtime, List<LockListener> listeners) {
		this.runtime = runtime;
		this.all = listeners.stream().map(Listening::new).toList();
	}

	/**
	 * Tell of an event. A loss is told to listeners that are too slow for other events,
	 * too, and an outage to each in its order.
	 * @param kind what kind of event it is
	 * @param event makes the event, if anybody hears it, of the time now
	 */
	public <E extends LockEvent> void tell(Class<E> kind, LongFunction<E> event) {
		List<Listening> told = hearing(kind);
		boolean inStory = LockStory.isTold();
		if (told.isEmpty() && !inStory) {
			return;
		}
		E happened = event.apply(this.runtime.nanoTime());
		if (inStory && happened instanceof LockEvent.OfLock step) {
			LockStory.tell(step);
		}
		told.forEach((each) -> each.tell(happened));
	}

	private List<Listening> hearing(Class<? extends LockEvent> kind) {
		List<Listening> known = this.hearing.get(kind);
		return (known != null) ? known : this.hearing.computeIfAbsent(kind,
				(added) -> this.all.stream().filter((each) -> each.hears(added)).toList());
	}

	/**
	 * One listener, and how many of its calls have not returned.
	 */
	private final class Listening {

		private final LockListener listener;

		private final Set<Class<? extends LockEvent>> kinds;

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicBoolean dropping = new AtomicBoolean();

		/**
		 * What is to be told of outages.
		 */
		private final Queue<LockEvent> outages = new ConcurrentLinkedQueue<>();

		private final AtomicBoolean tellingOfOutages = new AtomicBoolean();

		private Listening(LockListener listener) {
			this.listener = listener;
			this.kinds = kinds(listener);
		}

		private static Set<Class<? extends LockEvent>> kinds(LockListener listener) {
			try {
				return Set.copyOf(listener.kinds());
			}
			catch (NullPointerException ex) {
				throw new IllegalStateException(
						"Lock listener %s returns null from kinds(), or a set with null in it. Return the kinds of events that it is to hear, such as Set.of(LockEvent.class) for all."
							.formatted(listener),
						ex);
			}
		}

		private boolean hears(Class<? extends LockEvent> kind) {
			return this.kinds.stream().anyMatch((each) -> each.isAssignableFrom(kind));
		}

		private void tell(LockEvent event) {
			if (!(event instanceof LockEvent.OfLock)) {
				this.outages.add(event);
				callBackUrgently(this::tellOutages);
			}
			else if (event instanceof LockEvent.Lost) {
				callBackUrgently(() -> call(event));
			}
			else if (this.calls.get() < MOST_CALLS) {
				this.dropping.set(false);
				callBack(() -> call(event));
			}
			else if (this.dropping.compareAndSet(false, true)) {
				logger.warn(
						"Lock listener {} is too slow: {} of its calls have not returned. Events are dropped until it returns",
						this.listener, MOST_CALLS);
			}
		}

		private void callBack(Runnable call) {
			Listeners.this.runtime.callBack(counted(call));
		}

		private void callBackUrgently(Runnable call) {
			Listeners.this.runtime.callBackUrgently(counted(call));
		}

		private Runnable counted(Runnable call) {
			this.calls.incrementAndGet();
			return () -> {
				try {
					call.run();
				}
				finally {
					this.calls.decrementAndGet();
				}
			};
		}

		/**
		 * Tell of outages one after the other: a listener that hears of the end first
		 * would take the provider for down for ever.
		 */
		private void tellOutages() {
			while (!this.outages.isEmpty() && this.tellingOfOutages.compareAndSet(false, true)) {
				for (LockEvent next = this.outages.poll(); next != null; next = this.outages.poll()) {
					call(next);
				}
				this.tellingOfOutages.set(false);
			}
		}

		private void call(LockEvent event) {
			try {
				this.listener.on(event);
			}
			catch (Throwable ex) {
				logger.error("Lock listener {} failed", this.listener, ex);
			}
		}

	}

}
