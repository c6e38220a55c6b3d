package io.distributedlock.engine.internal.runtime;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Function;

import io.distributedlock.spi.support.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * Runs short tasks of the engine at a given time, on the timer thread. Most timers are
 * cancelled long before: the command is answered, the lock is released. So to cancel one
 * only takes its task; what is left of it leaves the queue when it is the first one, or
 * with all others when the queue has doubled. Thread-safe.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 */
public final class Timers {

	private static final Comparator<Timer> BY_TIME = (first, second) -> {
		int order = Long.signum(first.atNanos - second.atNanos);
		// their difference, as the numbers overflow
		return (order != 0) ? order : first.sequence - second.sequence;
	};

	private static final int FEW = 64;

	private final EngineRuntime runtime;

	/**
	 * Guards the fields below.
	 */
	private final Mutex mutex = new Mutex();

	private final PriorityQueue<Timer> queue = new PriorityQueue<>(BY_TIME);

	/**
	 * At this size those that were cancelled leave the queue.
	 */
	private int sizeToTidy = FEW;

	private int sequence;

	/**
	 * When the timer thread wakes, the next time first. Each was set as an earlier one
	 * than those before it.
	 */
	private final Deque<WakeUp> wakeUps = new ArrayDeque<>();

	private boolean closed;

	/**
	 * Made before, as there may be no memory for it later.
	 */
	private final Runnable runDue = this::runDue;

	private final Function<Timer, Boolean> enqueue = this::enqueue;

	public Timers(EngineRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Run a task at a time, or a little later.
	 * @param atNanos the time
	 * @param task a short task, which calls neither a provider nor code of the user; it
	 * runs early if the template closes, and immediately if the template is closed
	 * @return cancels the task
	 */
	public Timer at(long atNanos, Runnable task) {
		return start(new Timer(atNanos, task, null));
	}

	/**
	 * Run a task that may call a provider at a given time, on a thread of the engine.
	 */
	public Timer stepAt(long atNanos, Runnable step) {
		return start(new Timer(atNanos, step, this.runtime));
	}

	/**
	 * Run a task as {@link #at(long, Runnable)} does, in place of the timer of a field.
	 */
	public <T> void at(AtomicReferenceFieldUpdater<T, Timer> field, T owner, long atNanos, Runnable task) {
		replace(field, owner, new Timer(atNanos, task, null));
	}

	/**
	 * Run a step as {@link #stepAt(long, Runnable)} does, in place of the timer of a
	 * field.
	 */
	public <T> void stepAt(AtomicReferenceFieldUpdater<T, Timer> field, T owner, long atNanos, Runnable step) {
		replace(field, owner, new Timer(atNanos, step, this.runtime));
	}

	/**
	 * The field has the timer before it starts: its task may run at once, and set the
	 * next one, which this thread must not cancel. The timer before is cancelled last: it
	 * stays if there is no memory for another one.
	 */
	private <T> void replace(AtomicReferenceFieldUpdater<T, Timer> field, T owner, Timer timer) {
		Timer before = field.getAndSet(owner, timer);
		start(timer);
		before.cancel();
	}

	public int size() {
		return this.mutex.get(() -> (int) this.queue.stream().filter((timer) -> !timer.isOver()).count());
	}

	/**
	 * Run all timers that are left now, and later ones immediately.
	 */
	public void close() {
		this.mutex.run(() -> this.closed = true);
		runEarly();
	}

	/**
	 * Run the timers that are in the queue, and not those that they set.
	 */
	private void runEarly() {
		List<Timer> all = this.mutex.get(() -> {
			List<Timer> timers = List.copyOf(this.queue);
			this.queue.clear();
			return timers;
		});
		all.forEach((timer) -> Guard.run("a timer", timer));
	}

	private Timer start(Timer timer) {
		if (!this.mutex.get(this.enqueue, timer)) {
			Guard.run("a timer", timer);
		}
		return timer;
	}

	private boolean enqueue(Timer timer) {
		if (this.closed) {
			return false;
		}
		if (this.queue.size() >= this.sizeToTidy) {
			this.queue.removeIf(Timer::isOver);
			this.sizeToTidy = FEW + 2 * this.queue.size();
		}
		timer.sequence = ++this.sequence;
		this.queue.add(timer);
		try {
			wakeUpInTime();
		}
		catch (Throwable ex) {
			this.queue.remove(timer);
			throw ex;
		}
		return true;
	}

	private void wakeUpInTime() {
		Timer first = this.queue.peek();
		WakeUp next = this.wakeUps.peek();
		if (first != null && (next == null || first.atNanos - next.atNanos < 0)) {
			WakeUp earlier = new WakeUp(first.atNanos);
			this.runtime.schedule(earlier, first.atNanos - this.runtime.nanoTime());
			this.wakeUps.push(earlier);
		}
	}

	private void runDue() {
		try {
			for (Timer due = this.mutex.get(this::nextDue); due != null; due = this.mutex.get(this::nextDue)) {
				Guard.run("a timer", due);
			}
		}
		catch (Throwable ex) {
			// no memory to wake up for the next one: too early is better than never
			runEarly();
			throw ex;
		}
	}

	/**
	 * Return the next timer that is due, and no longer in the queue. If there is none,
	 * the timer thread is woken for the one after.
	 */
	private @Nullable Timer nextDue() {
		Timer first = this.queue.peek();
		while (first != null && (first.isOver() || first.atNanos - this.runtime.nanoTime() <= 0)) {
			this.queue.remove();
			if (!first.isOver()) {
				return first;
			}
			first = this.queue.peek();
		}
		wakeUpInTime();
		return null;
	}

	/**
	 * A time at which the timer thread wakes.
	 */
	private final class WakeUp implements Runnable {

		private final long atNanos;

		private final Runnable begin = this::begin;

		private WakeUp(long atNanos) {
			this.atNanos = atNanos;
		}

		@Override
		public void run() {
			Timers.this.mutex.run(this.begin);
			Guard.run("the timers", Timers.this.runDue);
		}

		private void begin() {
			Deque<WakeUp> all = Timers.this.wakeUps;
			for (WakeUp next = all.peek(); next != null && next.atNanos - this.atNanos <= 0; next = all.peek()) {
				all.remove();
			}
		}

	}

	/**
	 * A time and its task, which is taken once: to run it, or to cancel it.
	 */
	public static final class Timer extends AtomicReference<@Nullable Runnable> implements Runnable {

		private static final long serialVersionUID = 1;

		/**
		 * A timer that does nothing, for where none is set.
		 */
		public static final Timer NONE = new Timer(0, null, null);

		private final transient long atNanos;

		/**
		 * Runs the task on a thread of its own; {@code null}: the timer thread does.
		 */
		private final transient @Nullable EngineRuntime runtime;

		private transient int sequence;

		private Timer(long atNanos, @Nullable Runnable task, @Nullable EngineRuntime runtime) {
			super(task);
			this.atNanos = atNanos;
			this.runtime = runtime;
		}

		/**
		 * Cancel the task, unless it runs already. Idempotent.
		 * @return whether the task would have run otherwise
		 */
		public boolean cancel() {
			return !isOver() && getAndSet(null) != null;
		}

		private boolean isOver() {
			return get() == null;
		}

		/**
		 * Run the task, unless it ran already or was cancelled.
		 */
		@Override
		public void run() {
			Runnable task = get();
			EngineRuntime threads = this.runtime;
			if (task == null) {
				return;
			}
			// before the task is taken, as there may be no memory for it
			Runnable step = (threads != null) ? () -> Guard.run("a step", task) : task;
			if (!compareAndSet(task, null)) {
				return;
			}
			if (threads != null) {
				threads.execute(step);
			}
			else {
				step.run();
			}
		}

	}

}
