package io.distributedlock.engine.internal.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * Runs short tasks of the engine at a given time, on the timer thread. Most timers are
 * cancelled long before: the command is answered, the lock is released. So a timer costs
 * one insertion in a set of timers for about the same time. When that time is near, its
 * timers move to sets for shorter spans. This is a hierarchical timing wheel whose slots
 * exist only while they are needed, see Varghese and Lauck,
 * <a href= "https://dl.acm.org/doi/10.1145/37499.37504">Hashed and Hierarchical Timing
 * Wheels</a>, 1987. Thread-safe.
 * <p>
 * Why: docs/decisions/006-three-groups-of-threads.md
 */
public final class Timers {

	/**
	 * The width of a slot is an eighth to a sixteenth of the time until then.
	 */
	private static final int SLOTS_PER_DISTANCE_BITS = 3;

	/**
	 * Timers that are due within a millisecond get a slot just after their time.
	 */
	private static final long NEAR_NANOS = 1_000_000;

	/**
	 * About 65 microseconds: finer than the timer thread is woken anyway.
	 */
	private static final long FINEST_SLOT_NANOS = 1L << 16;

	private static final Comparator<Timer> BY_TIME = (first, second) -> {
		int order = Long.signum(first.atNanos - second.atNanos);
		return (order != 0) ? order : Long.compare(first.sequence, second.sequence);
	};

	private final ConcurrentHashMap<Long, Slot> slots = new ConcurrentHashMap<>();

	/**
	 * The slots that were used last, by the magnitude of the time until then. Most timers
	 * have the same few times to go, such as the command time-out, and find theirs here.
	 */
	private final AtomicReferenceArray<@Nullable Slot> recent = new AtomicReferenceArray<>(Long.SIZE + 1);

	private final AtomicLong sequence = new AtomicLong();

	/**
	 * Only the timer thread uses this.
	 */
	private final Queue<Runnable> afterPass = new ArrayDeque<>();

	private final EngineRuntime runtime;

	private volatile boolean closed;

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
		return place(new Timer(atNanos, task, this.sequence.incrementAndGet(), null), this.runtime.nanoTime());
	}

	/**
	 * Run a task that may call a provider at a given time, on a thread of the engine.
	 */
	public Timer stepAt(long atNanos, Runnable step) {
		return place(new Timer(atNanos, step, this.sequence.incrementAndGet(), this.runtime), this.runtime.nanoTime());
	}

	/**
	 * Run a task as {@link #at(long, Runnable)} does, in place of the timer of a field.
	 */
	public <T> void at(AtomicReferenceFieldUpdater<T, Timer> field, T owner, long atNanos, Runnable task) {
		replace(field, owner, new Timer(atNanos, task, this.sequence.incrementAndGet(), null));
	}

	/**
	 * Run a step as {@link #stepAt(long, Runnable)} does, in place of the timer of a
	 * field.
	 */
	public <T> void stepAt(AtomicReferenceFieldUpdater<T, Timer> field, T owner, long atNanos, Runnable step) {
		replace(field, owner, new Timer(atNanos, step, this.sequence.incrementAndGet(), this.runtime));
	}

	/**
	 * The field has the timer before it starts: its task may run at once, and set the
	 * next one, which this thread must not cancel. The timer before is cancelled last: it
	 * stays if there is no memory for another one.
	 */
	private <T> void replace(AtomicReferenceFieldUpdater<T, Timer> field, T owner, Timer timer) {
		Timer before = field.getAndSet(owner, timer);
		place(timer, this.runtime.nanoTime());
		before.cancel();
	}

	/**
	 * For tasks of timers: run a task after all other timers that are due now.
	 */
	public void afterPass(Runnable task) {
		this.afterPass.add(task);
	}

	public int size() {
		return this.slots.values().stream().mapToInt((slot) -> slot.timers.size()).sum();
	}

	/**
	 * Run all timers that are left now, and later ones immediately.
	 */
	public void close() {
		this.closed = true;
		List.copyOf(this.slots.keySet()).forEach(this::runEarly);
	}

	private void runEarly(long at) {
		Slot slot = this.slots.remove(at);
		if (slot != null) {
			slot.take().forEach(Timer::run);
		}
	}

	private Timer place(Timer timer, long nowNanos) {
		long at = slotTime(timer.atNanos, nowNanos);
		int span = Long.numberOfLeadingZeros(timer.atNanos - nowNanos);
		boolean placed = false;
		while (!placed && !this.closed) {
			Slot slot = this.recent.get(span);
			if (slot == null || slot.atNanos != at || slot.taken) {
				slot = slot(at, nowNanos);
				this.recent.set(span, slot);
			}
			placed = slot.add(timer);
		}
		if (this.closed) {
			timer.run();
		}
		return timer;
	}

	private Slot slot(long at, long nowNanos) {
		Slot known = this.slots.get(at);
		if (known != null) {
			return known;
		}
		Slot created = new Slot(at);
		Slot before = this.slots.putIfAbsent(at, created);
		if (before == null) {
			schedule(at, nowNanos);
		}
		return (before != null) ? before : created;
	}

	private void schedule(long at, long nowNanos) {
		try {
			this.runtime.schedule(() -> pass(at), at - nowNanos);
		}
		catch (Throwable ex) {
			// otherwise no later timer of this slot would ever run; those that others
			// have added run early
			runEarly(at);
			throw ex;
		}
	}

	private void pass(long at) {
		Slot slot = this.slots.remove(at);
		if (slot == null) {
			return;
		}
		long now = this.runtime.nanoTime();
		for (Timer timer : slot.take()) {
			if (timer.atNanos - now <= 0) {
				timer.run();
			}
			else {
				Guard.run("placing a timer", () -> placeAgain(timer, now));
			}
		}
		for (Runnable task = this.afterPass.poll(); task != null; task = this.afterPass.poll()) {
			Guard.run("after the timers", task);
		}
	}

	private void placeAgain(Timer timer, long nowNanos) {
		try {
			place(timer, nowNanos);
		}
		catch (Throwable ex) {
			// there was no memory for it: too early is better than never
			timer.run();
			throw ex;
		}
	}

	/**
	 * Return the time of the slot for a timer: before the timer's time if that is far, so
	 * that few slots serve many timers; just after it if it is near.
	 */
	private static long slotTime(long atNanos, long nowNanos) {
		long distance = atNanos - nowNanos;
		if (distance <= NEAR_NANOS) {
			long at = (distance > 0) ? atNanos : nowNanos;
			return (at & -FINEST_SLOT_NANOS) + FINEST_SLOT_NANOS;
		}
		return atNanos & -(Long.highestOneBit(distance) >> SLOTS_PER_DISTANCE_BITS);
	}

	/**
	 * A task with its time.
	 */
	public static final class Timer extends Bag.Member {

		/**
		 * A timer that does nothing, for where none is set.
		 */
		public static final Timer NONE = new Timer(0, () -> {
		}, 0, null);

		static {
			NONE.finished = 1;
		}

		private static final AtomicIntegerFieldUpdater<Timer> FINISHED = AtomicIntegerFieldUpdater
			.newUpdater(Timer.class, "finished");

		private final long atNanos;

		private final Runnable task;

		private final long sequence;

		/**
		 * Runs the task on a thread of its own; {@code null}: the timer thread does.
		 */
		private final @Nullable EngineRuntime runtime;

		private volatile int finished;

		private volatile @Nullable Slot slot;

		private Timer(long atNanos, Runnable task, long sequence, @Nullable EngineRuntime runtime) {
			this.atNanos = atNanos;
			this.task = task;
			this.sequence = sequence;
			this.runtime = runtime;
		}

		/**
		 * Cancel the task, unless it runs already. Idempotent.
		 */
		public void cancel() {
			Slot in = finish() ? this.slot : null;
			if (in != null) {
				in.timers.remove(this);
			}
		}

		private void run() {
			EngineRuntime threads = this.runtime;
			if (finish()) {
				Guard.run("a timer",
						(threads == null) ? this.task : () -> threads.execute(() -> Guard.run("a step", this.task)));
			}
		}

		private boolean finish() {
			return this.finished == 0 && FINISHED.compareAndSet(this, 0, 1);
		}

	}

	/**
	 * Timers that are looked at together.
	 */
	private static final class Slot {

		private final long atNanos;

		private final Bag<Timer> timers = new Bag<>();

		private volatile boolean taken;

		private Slot(long atNanos) {
			this.atNanos = atNanos;
		}

		/**
		 * Add a timer.
		 * @return {@code false} if this slot was taken already, and another one is needed
		 */
		boolean add(Timer timer) {
			timer.slot = this;
			this.timers.add(timer);
			if (timer.finished != 0) {
				this.timers.remove(timer);
			}
			// a pass that has taken this slot either found the timer, or did not see it
			return !this.taken || !this.timers.remove(timer);
		}

		/**
		 * Take all timers out, in the order of their times. Each timer is taken once.
		 */
		List<Timer> take() {
			this.taken = true;
			List<Timer> all = new ArrayList<>();
			for (Timer timer : this.timers.members()) {
				if (this.timers.remove(timer)) {
					all.add(timer);
				}
			}
			all.sort(BY_TIME);
			return all;
		}

	}

}
