package io.distributedlock.engine.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockContext;
import org.jspecify.annotations.Nullable;

/**
 * A thread that blocks in virtual time. It is a real one, so that what code keeps by
 * thread is real too, but it runs only while the loop of events stands still: of all
 * threads of the simulation one runs at a time.
 */
final class SimulatedThread {

	private static final ThreadLocal<@Nullable SimulatedThread> CURRENT = new ThreadLocal<>();

	private static final int SPINS = 200;

	private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(120);

	private final Pool pool;

	private final Thread thread;

	private volatile boolean running;

	private volatile boolean retired;

	private @Nullable Runnable task;

	private @Nullable Runnable wake;

	private boolean interruptWanted;

	private boolean killed;

	private SimulatedThread(Pool pool) {
		this.pool = pool;
		this.thread = new Thread(this::run, "simulated-thread");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	static @Nullable SimulatedThread current() {
		return CURRENT.get();
	}

	/**
	 * Stand still until {@link #resume()}, and let the loop of events go on meanwhile.
	 * @param wake has this thread resumed soon, in case of an interrupt
	 */
	void standStill(Runnable wake) {
		if (this.killed) {
			throw new Killed();
		}
		boolean interrupted = Thread.interrupted();
		this.wake = wake;
		if (interrupted || this.interruptWanted) {
			wake.run();
		}
		handOver();
		this.wake = null;
		if (interrupted || this.interruptWanted) {
			this.interruptWanted = false;
			this.thread.interrupt();
		}
		if (this.killed) {
			throw new Killed();
		}
	}

	/**
	 * Go on where this thread stood still, until it stands still again. Called by the
	 * loop of events.
	 */
	void resume() {
		this.running = true;
		LockSupport.unpark(this.thread);
		for (int i = 0; i < SPINS && this.running; i++) {
			Thread.onSpinWait();
		}
		long since = System.nanoTime();
		while (this.running) {
			LockSupport.parkNanos(this, STUCK_NANOS);
			if (this.running && System.nanoTime() - since > STUCK_NANOS) {
				AssertionError stuck = new AssertionError("A simulated thread blocks for real");
				stuck.setStackTrace(this.thread.getStackTrace());
				throw stuck;
			}
		}
	}

	/**
	 * Interrupt this thread, whether it stands still or not.
	 */
	void interrupt() {
		this.interruptWanted = true;
		if (this.wake != null) {
			this.wake.run();
		}
	}

	/**
	 * End the task of this thread where it stands still: its JVM is dead.
	 */
	void kill() {
		this.killed = true;
		while (this.task != null) {
			resume();
		}
	}

	private void handOver() {
		this.running = false;
		LockSupport.unpark(this.pool.loop);
		awaitTurn();
	}

	private void awaitTurn() {
		for (int i = 0; i < SPINS && !this.running; i++) {
			Thread.onSpinWait();
		}
		while (!this.running) {
			LockSupport.park(this);
		}
	}

	private void run() {
		CURRENT.set(this);
		awaitTurn();
		while (!this.retired) {
			Runnable current = this.task;
			if (current != null) {
				try {
					current.run();
				}
				catch (Killed ex) {
					// as it was asked to
				}
				this.task = null;
				this.wake = null;
				this.interruptWanted = false;
				boolean clean = LockContext.find().isEmpty() && !this.killed;
				this.retired = !clean;
				if (clean) {
					Thread.interrupted();
					this.pool.idle.push(this);
				}
				else {
					this.running = false;
					LockSupport.unpark(this.pool.loop);
					return;
				}
			}
			handOver();
		}
	}

	/**
	 * The threads that one loop of events has, used again by the next run.
	 */
	static final class Pool {

		private final Thread loop = Thread.currentThread();

		private final Deque<SimulatedThread> idle = new ArrayDeque<>();

		/**
		 * Run a task on a thread of its own until it stands still or ends.
		 */
		SimulatedThread run(Runnable task) {
			SimulatedThread thread = this.idle.poll();
			if (thread == null) {
				thread = new SimulatedThread(this);
			}
			thread.task = task;
			thread.resume();
			return thread;
		}

		/**
		 * End the threads.
		 */
		void close() {
			for (SimulatedThread thread : this.idle) {
				thread.retired = true;
				thread.running = true;
				LockSupport.unpark(thread.thread);
			}
		}

	}

	/**
	 * Ends what ran in a JVM that was killed.
	 */
	static final class Killed extends Error {

		private static final long serialVersionUID = 1L;

		Killed() {
			super("killed", null, false, false);
		}

	}

}
