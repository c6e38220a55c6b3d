package io.distributedlock.engine.internal.event;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;

import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockListener;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spi.support.LimitedLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a template, and the log, what happens to its locks. Listeners
 * are told on threads for code of the user. Costs nothing where nobody hears of an event.
 */
public final class Listeners {

	/**
	 * Writes down each event at the level DEBUG.
	 */
	private static final Logger events = LoggerFactory.getLogger(LockEvent.class);

	/**
	 * If so many events wait for one listener, it is too slow for its locks, and more of
	 * them would only use up memory.
	 */
	public static final int MOST_WAITING = 10_000;

	/**
	 * How many events that are not urgent a thread brings to a listener before others get
	 * it: enough that a fast listener costs no change of threads for each.
	 */
	private static final int AT_ONCE = 100;

	private static final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(Listeners.class));

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
	 * Tell of an event, each listener of one at a time; of losses and outages also while
	 * it is busy with others.
	 * @param kind what kind of event it is
	 * @param event makes the event, if anybody hears it, of the time now
	 */
	public <E extends LockEvent> void tell(Class<E> kind, LongFunction<E> event) {
		List<Listening> told = hearing(kind);
		if (told.isEmpty() && !events.isDebugEnabled()) {
			return;
		}
		E happened = event.apply(this.runtime.nanoTime());
		events.debug("{}", happened);
		told.forEach((each) -> each.tell(happened));
	}

	private List<Listening> hearing(Class<? extends LockEvent> kind) {
		List<Listening> known = this.hearing.get(kind);
		return (known != null) ? known : this.hearing.computeIfAbsent(kind,
				(added) -> this.all.stream().filter((each) -> each.hears(added)).toList());
	}

	/**
	 * One listener. What is urgent waits for nothing else, and is never dropped.
	 */
	private final class Listening {

		private final LockListener listener;

		private final Set<Class<? extends LockEvent>> kinds;

		private final CallQueue urgent = new CallQueue(Integer.MAX_VALUE, Integer.MAX_VALUE,
				(calls) -> Listeners.this.runtime.callBack(calls, null));

		private final CallQueue others = new CallQueue(MOST_WAITING, AT_ONCE, Listeners.this.runtime::callBack);

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
			boolean isUrgent = event instanceof LockEvent.Lost || !(event instanceof LockEvent.OfLock);
			CallQueue calls = isUrgent ? this.urgent : this.others;
			if (!calls.add(Listeners.this.runtime.toCallBack(() -> call(event)))) {
				warnings.warn(
						"Lock listener {} is too slow: {} events wait for it, and further ones are dropped. Let it hand its work to another thread",
						this.listener, MOST_WAITING);
			}
		}

		private void call(LockEvent event) {
			try {
				this.listener.on(event);
			}
			catch (Throwable ex) {
				Failures.log(warnings::error, "Lock listener {} failed", this.listener, ex);
			}
		}

	}

	/**
	 * Calls that run one after the other: a listener that blocks takes one thread from
	 * other code of the user, and hears of the end of an outage after its beginning.
	 */
	private static final class CallQueue {

		/**
		 * To add to it waits for no lock: an event loop may bring an event.
		 */
		private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();

		private final AtomicInteger waiting = new AtomicInteger();

		private final AtomicInteger leftOut = new AtomicInteger();

		private final int capacity;

		private final int atOnce;

		private final Consumer<Runnable> threads;

		private final AtomicBoolean running = new AtomicBoolean();

		private CallQueue(int capacity, int atOnce, Consumer<Runnable> threads) {
			this.capacity = capacity;
			this.atOnce = atOnce;
			this.threads = threads;
		}

		/**
		 * Add a call.
		 * @return {@code false} if too many wait
		 */
		private boolean add(Runnable call) {
			boolean taken = this.waiting.get() < this.capacity && this.calls.add(call);
			// at 1, 2, 4, 8… that wait: an executor that is busy keeps few tasks, and one
			// that drops them gets others
			if (taken ? Integer.bitCount(this.waiting.incrementAndGet()) == 1
					: this.leftOut.incrementAndGet() % MOST_WAITING == 0) {
				goOn();
			}
			return taken;
		}

		private void goOn() {
			if (!this.calls.isEmpty() && !this.running.get()) {
				this.threads.accept(this::run);
			}
		}

		private void run() {
			if (this.running.compareAndSet(false, true)) {
				try {
					for (int i = 0; i < this.atOnce && !this.calls.isEmpty(); i++) {
						Runnable call = this.calls.remove();
						this.waiting.decrementAndGet();
						call.run();
					}
				}
				finally {
					this.running.set(false);
					goOn();
				}
			}
		}

	}

}
