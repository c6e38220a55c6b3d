package io.distributedlock.engine.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.simulation.SimulatedWorld.Role;
import org.jspecify.annotations.Nullable;

/**
 * Time, threads and chance of one simulated JVM. Its clock starts anywhere and runs a
 * little fast or slow; its threads start late by chance, up to a bound that the checks
 * know.
 */
final class SimulatedRuntime implements EngineRuntime {

	/**
	 * Beyond that nothing is waited for.
	 */
	private static final long FAR_NANOS = Long.MAX_VALUE / 8;

	private static final long MILLION = 1_000_000;

	private final SimulatedWorld world;

	private final SimulatedNode node;

	private final SimulatedThread.Pool threads;

	private final SimulatedFaults faults;

	private final long offsetNanos;

	private final long fastPpm;

	private final PriorityQueue<Timer> timers = new PriorityQueue<>(
			Comparator.comparingLong(Timer::due).thenComparingLong(Timer::sequence));

	private long sequence;

	private boolean closed;

	/**
	 * Create the runtime of a node.
	 * @param offsetNanos what its clock shows at the begin of the run
	 * @param fastPpm by how many millionths its clock runs fast
	 */
	SimulatedRuntime(SimulatedWorld world, SimulatedNode node, SimulatedThread.Pool threads, SimulatedFaults faults,
			long offsetNanos, long fastPpm) {
		this.world = world;
		this.node = node;
		this.threads = threads;
		this.faults = faults;
		this.offsetNanos = offsetNanos;
		this.fastPpm = fastPpm;
	}

	@Override
	public long nanoTime() {
		long time = this.world.tick();
		return this.offsetNanos + time + time * this.fastPpm / MILLION;
	}

	/**
	 * Return how long the clock of the world runs while this one runs so long.
	 */
	long worldNanos(long nanos) {
		long rate = MILLION + this.fastPpm;
		return (nanos > FAR_NANOS) ? nanos : nanos / rate * MILLION + nanos % rate * MILLION / rate + 1;
	}

	int timers() {
		return this.timers.size();
	}

	@Override
	public void schedule(Runnable task, long delayNanos) {
		if (this.closed) {
			return;
		}
		long delay = worldNanos(Math.max(delayNanos, 0));
		Timer timer = new Timer(this.world.now() + delay, ++this.sequence, task);
		this.timers.add(timer);
		if (delay < FAR_NANOS) {
			this.world.later(delay + this.faults.threadDelay(), this.node, Role.TIMER, "timer", () -> runTimers(timer));
		}
	}

	@Override
	public void execute(Runnable task) {
		start(Role.ENGINE, "execute", task, this.faults.threadDelay(), this.faults.mayBlockProvider());
	}

	@Override
	public void callBack(Runnable task) {
		start(Role.CALLBACK, "callBack", task, this.faults.threadDelay(), this.faults.mayBlockCallback());
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long timeoutNanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		SimulatedThread thread = SimulatedThread.current();
		if (thread == null) {
			if (!future.isDone()) {
				this.world.violation("the engine blocks a thread that must not wait");
				throw new TimeoutException("would block");
			}
			return future.get();
		}
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (!future.isDone() && timeoutNanos > 0) {
			Sleep sleep = new Sleep(thread, this.world.role());
			future.whenComplete((value, failure) -> sleep.wakeSoon());
			if (timeoutNanos < FAR_NANOS) {
				this.world.later(worldNanos(timeoutNanos) + this.faults.threadDelay(), this.node, sleep.role,
						"await ends", sleep::wakeNow);
			}
			thread.standStill(sleep::wakeSoon);
		}
		if (future.isDone()) {
			return future.get();
		}
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		throw new TimeoutException();
	}

	/**
	 * Let the calling thread do nothing for a while.
	 */
	void sleep(long nanos) {
		SimulatedThread thread = SimulatedThread.current();
		if (thread != null) {
			Sleep sleep = new Sleep(thread, this.world.role());
			this.world.later(nanos, this.node, sleep.role, "sleep ends", sleep::wakeNow);
			thread.standStill(() -> {
			});
		}
	}

	@Override
	public long random(long bound) {
		return this.world.random(bound);
	}

	@Override
	public void close() {
		this.closed = true;
		this.timers.clear();
	}

	boolean isClosed() {
		return this.closed;
	}

	private void start(Role role, String what, Runnable task, long delay, boolean mayBlock) {
		this.world.later(delay, this.node, role, what, mayBlock ? () -> this.node.onThread(this.threads, task) : task);
	}

	/**
	 * The timer is one thread: what was due before is run before, however late it wakes.
	 */
	private void runTimers(Timer upTo) {
		while (!this.timers.isEmpty()) {
			Timer next = this.timers.peek();
			if (next.due > upTo.due || (next.due == upTo.due && next.sequence > upTo.sequence)) {
				return;
			}
			this.timers.poll();
			try {
				next.task.run();
			}
			catch (Throwable ex) {
				this.world.violation("a timer let an exception escape: " + SimulatedWorld.describe(ex));
			}
		}
	}

	private record Timer(long due, long sequence, Runnable task) {
	}

	/**
	 * One time that a thread stands still.
	 */
	private final class Sleep {

		private final SimulatedThread thread;

		private final Role role;

		private boolean waking;

		private boolean over;

		private Sleep(SimulatedThread thread, Role role) {
			this.thread = thread;
			this.role = role;
		}

		private void wakeSoon() {
			if (!this.waking) {
				this.waking = true;
				SimulatedRuntime.this.world.later(SimulatedRuntime.this.faults.threadDelay(),
						SimulatedRuntime.this.node, this.role, "goes on", this::wakeNow);
			}
		}

		private void wakeNow() {
			if (!this.over) {
				this.over = true;
				this.waking = true;
				this.thread.resume();
			}
		}

	}

}
