package io.distributedlock.engine;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

import io.distributedlock.engine.internal.runtime.EngineRuntime;

/**
 * Time that a test moves on, and timers that run when a test says so. What the engine
 * hands to other threads runs at once.
 */
public final class ScheduledByHand implements EngineRuntime {

	private final Queue<Due> timers = new ConcurrentLinkedQueue<>();

	private volatile long now;

	private volatile boolean outOfMemory;

	private final Queue<Runnable> beforeTimers = new ConcurrentLinkedQueue<>();

	private volatile Executor callbacks = Runnable::run;

	/**
	 * Set whether the JVM has no memory for a timer.
	 */
	public void outOfMemory(boolean none) {
		this.outOfMemory = none;
	}

	/**
	 * Run a step just before the next timer is set, as another thread may.
	 */
	public void beforeNextTimer(Runnable step) {
		this.beforeTimers.add(step);
	}

	/**
	 * Set what code of the user is given to.
	 */
	void callBackOn(Executor executor) {
		this.callbacks = executor;
	}

	/**
	 * Let time pass, without the timer thread noticing.
	 */
	public void moveTo(long nanos) {
		this.now = nanos;
	}

	/**
	 * Run what is due, as the timer thread, which there is one of.
	 */
	public void runTimers() {
		for (Due timer : List.copyOf(this.timers)) {
			if (timer.at - this.now <= 0 && this.timers.remove(timer)) {
				timer.task.run();
			}
		}
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public void schedule(Runnable task, long delayNanos) {
		if (this.outOfMemory) {
			throw new OutOfMemoryError("no room for a timer");
		}
		Runnable before = this.beforeTimers.poll();
		if (before != null) {
			before.run();
		}
		this.timers.add(new Due(this.now + Math.max(delayNanos, 0), task));
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	public void callBack(Runnable task) {
		this.callbacks.execute(task);
	}

	@Override
	public <T> T await(CompletableFuture<T> future, long timeoutNanos) {
		throw new IllegalStateException("nothing waits here");
	}

	@Override
	public long random(long bound) {
		return 0;
	}

	@Override
	public void close() {
		this.timers.clear();
	}

	/**
	 * A task and its time, told apart by identity.
	 */
	private static final class Due {

		private final long at;

		private final Runnable task;

		private Due(long at, Runnable task) {
			this.at = at;
			this.task = task;
		}

	}

}
