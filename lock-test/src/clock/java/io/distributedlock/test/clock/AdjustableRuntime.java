package io.distributedlock.test.clock;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.engine.internal.runtime.EngineRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the JVM with an {@link AdjustableClock}. A task runs when its time has
 * come on the JVM's clock, or when that clock was put forward to it, whatever is first.
 */
final class AdjustableRuntime implements EngineRuntime {

	private final AdjustableClock clock;

	private final EngineRuntime threads;

	private final ConcurrentSkipListSet<Task> tasks = new ConcurrentSkipListSet<>();

	private final AtomicLong sequence = new AtomicLong();

	/**
	 * How many tasks of the timer and of the engine run, or are about to.
	 */
	private final AtomicInteger busy = new AtomicInteger();

	/**
	 * How many of them have ever begun. Counted before a task is removed from those to
	 * come.
	 */
	private final AtomicLong begun = new AtomicLong();

	/**
	 * Those who wait for callbacks; several threads may.
	 */
	private final Set<CallbackCount> counts = ConcurrentHashMap.newKeySet();

	AdjustableRuntime(AdjustableClock clock, EngineRuntime threads) {
		this.clock = clock;
		this.threads = threads;
	}

	@Override
	public long nanoTime() {
		return this.clock.nanoTime();
	}

	@Override
	public void schedule(Runnable task, long delayNanos) {
		Task scheduled = new Task(task, nanoTime() + Math.max(delayNanos, 0), this.sequence.incrementAndGet());
		this.tasks.add(scheduled);
		this.threads.schedule(() -> {
			if (take(scheduled)) {
				run(task);
			}
		}, delayNanos);
	}

	@Override
	public void execute(Runnable task) {
		this.busy.incrementAndGet();
		this.begun.incrementAndGet();
		this.threads.execute(() -> run(task));
	}

	@Override
	public void callBack(Runnable task) {
		this.threads.callBack(toCallBack(task));
	}

	@Override
	public void callBack(Runnable task, @Nullable Runnable late) {
		this.threads.callBack(toCallBack(task), late);
	}

	@Override
	public void callBackNow(Runnable task) {
		this.threads.callBackNow(toCallBack(task));
	}

	@Override
	public Runnable toCallBack(Runnable code) {
		Runnable counted = code;
		for (CallbackCount each : this.counts) {
			counted = each.counted(counted);
		}
		return counted;
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long timeoutNanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return this.threads.await(future, timeoutNanos);
	}

	@Override
	public long random(long bound) {
		return this.threads.random(bound);
	}

	@Override
	public void close() {
		this.clock.forget(this);
		this.tasks.clear();
		this.threads.close();
	}

	long begun() {
		return this.begun.get();
	}

	boolean isBusy() {
		return this.busy.get() > 0;
	}

	void count(CallbackCount added) {
		this.counts.add(added);
	}

	void stopCounting(CallbackCount added) {
		this.counts.remove(added);
	}

	/**
	 * Return when the first task is due, or the given time if that is earlier.
	 */
	long earlierDueNanos(long instant) {
		Iterator<Task> first = this.tasks.iterator();
		long due = first.hasNext() ? first.next().atNanos : instant;
		return (due - instant < 0) ? due : instant;
	}

	/**
	 * Run the tasks that are due, on the timer thread.
	 */
	void runDue() {
		long now = nanoTime();
		for (Task task : this.tasks) {
			if (task.atNanos - now > 0) {
				return;
			}
			if (take(task)) {
				this.threads.schedule(() -> run(task.work), 0);
			}
		}
	}

	/**
	 * Take a task, which is then to be run once.
	 */
	private boolean take(Task task) {
		if (!task.taken.compareAndSet(false, true)) {
			return false;
		}
		this.busy.incrementAndGet();
		this.begun.incrementAndGet();
		this.tasks.remove(task);
		return true;
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		finally {
			this.busy.decrementAndGet();
		}
	}

	/**
	 * A task of the timer with its time.
	 */
	private static final class Task implements Comparable<Task> {

		private final Runnable work;

		private final long atNanos;

		private final long sequence;

		private final AtomicBoolean taken = new AtomicBoolean();

		private Task(Runnable work, long atNanos, long sequence) {
			this.work = work;
			this.atNanos = atNanos;
			this.sequence = sequence;
		}

		@Override
		public int compareTo(Task other) {
			// the clock may overflow, so instants are compared by their difference
			int order = Long.signum(this.atNanos - other.atNanos);
			return (order != 0) ? order : Long.compare(this.sequence, other.sequence);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return Long.hashCode(this.sequence);
		}

	}

}
