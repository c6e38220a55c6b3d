package io.distributedlock.test.clock;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.SystemRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A clock for tests, which can be put forward. It runs as the JVM's clock does; when it
 * is put forward, the templates that use it do in the right order what they would have
 * done in that time: they renew leases, ask again, give up waiting, and lose leases that
 * nobody renewed. Thread-safe.
 * <p>
 * The providers of such a template must take the time from the same clock. Those of a
 * real backend cannot.
 *
 * @since 0.1
 */
public final class AdjustableClock {

	/**
	 * How long to wait for callbacks that a step has caused, since they may block.
	 */
	private static final long CALLBACKS_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * How long to wait for the engine, which blocks only where a provider does. A clock
	 * that goes on before would end leases that are just being renewed.
	 */
	private static final long ENGINE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long LOOK_AGAIN_NANOS = 20_000;

	private final Set<AdjustableRuntime> runtimes = ConcurrentHashMap.newKeySet();

	/**
	 * One thread at a time puts the clock forward.
	 */
	private final ReentrantLock stepping = new ReentrantLock();

	private final AtomicLong aheadNanos = new AtomicLong();

	/**
	 * Create a clock that shows the JVM's time until it is put forward.
	 */
	public AdjustableClock() {
	}

	/**
	 * Return the time of this clock.
	 * @return the time, on the scale of {@link System#nanoTime()} plus what this clock
	 * was put forward
	 */
	public long nanoTime() {
		return System.nanoTime() + this.aheadNanos.get();
	}

	/**
	 * Put this clock forward. Returns when the templates have done what was due, and
	 * callbacks and listeners have been called; a callback that blocks is waited for one
	 * second.
	 * @param time by how much, not negative
	 * @throws IllegalArgumentException if the time is negative
	 */
	public void advance(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("A clock cannot be put back, but the time is " + time);
		}
		settle(() -> stepTo(nanoTime() + LockTimes.saturatedNanos(time), () -> true));
	}

	/**
	 * Put this clock forward, as {@link #advance}, but go no further once a condition is
	 * false: what somebody does then is not caught by a jump.
	 * @param time by how much at most, not negative
	 * @param condition asked before each step, when the templates and callbacks have done
	 * what the step before has caused
	 * @throws IllegalArgumentException if the time is negative
	 */
	public void advanceWhile(Duration time, BooleanSupplier condition) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("A clock cannot be put back, but the time is " + time);
		}
		counting((callbacks) -> stepTo(nanoTime() + LockTimes.saturatedNanos(time), () -> {
			await(callbacks::isZero, CALLBACKS_NANOS);
			return condition.getAsBoolean();
		}));
	}

	/**
	 * Run an action, and wait until the templates of this clock have done what follows
	 * from it, callbacks and listeners included. A callback that blocks is waited for one
	 * second.
	 * @param action the action, run on this thread
	 */
	public void settle(Runnable action) {
		counting((callbacks) -> {
			action.run();
			awaitQuiet();
			await(callbacks::isZero, CALLBACKS_NANOS);
			awaitQuiet();
		});
	}

	/**
	 * Run an action that looks at the callbacks which begin meanwhile.
	 */
	private void counting(Consumer<CallbackCount> action) {
		CallbackCount callbacks = new CallbackCount();
		this.runtimes.forEach((runtime) -> runtime.count(callbacks));
		try {
			action.accept(callbacks);
		}
		finally {
			this.runtimes.forEach((runtime) -> runtime.stopCounting(callbacks));
		}
	}

	/**
	 * Return the threads of a template whose time is that of this clock.
	 * @param executor the executor of the template, or {@code null}
	 * @return the runtime, for
	 * {@link io.distributedlock.engine.LockTemplateBuilder#runtime}
	 */
	public EngineRuntime runtime(@Nullable Executor executor) {
		AdjustableRuntime adjustable = new AdjustableRuntime(this, new SystemRuntime(executor));
		this.runtimes.add(adjustable);
		return adjustable;
	}

	void forget(AdjustableRuntime runtime) {
		this.runtimes.remove(runtime);
	}

	/**
	 * Go from one due time to the next, so that a lease is renewed in time although the
	 * clock jumps.
	 */
	private void stepTo(long target, BooleanSupplier further) {
		this.stepping.lock();
		try {
			long due = nextDueNanos(target);
			while (due - target < 0 && further.getAsBoolean()) {
				goTo(due);
				due = nextDueNanos(target);
			}
			if (further.getAsBoolean()) {
				goTo(target);
			}
		}
		finally {
			this.stepping.unlock();
		}
	}

	private void goTo(long instant) {
		this.aheadNanos.addAndGet(Math.max(0, instant - nanoTime()));
		this.runtimes.forEach(AdjustableRuntime::runDue);
		awaitQuiet();
	}

	/**
	 * Return when the next task is due. A task that the JVM's own timer begins meanwhile
	 * is no longer among those to come, and may be about to add others: then look again.
	 */
	private long nextDueNanos(long target) {
		long next = target;
		long until = System.nanoTime() + ENGINE_NANOS;
		long begunBefore;
		do {
			begunBefore = begun();
			awaitQuiet();
			next = target;
			for (AdjustableRuntime runtime : this.runtimes) {
				next = runtime.earlierDueNanos(next);
			}
		}
		while (begun() != begunBefore && until - System.nanoTime() > 0);
		return next;
	}

	private long begun() {
		return this.runtimes.stream().mapToLong(AdjustableRuntime::begun).sum();
	}

	private void awaitQuiet() {
		await(() -> this.runtimes.stream().noneMatch(AdjustableRuntime::isBusy), ENGINE_NANOS);
	}

	private static void await(BooleanSupplier condition, long longestNanos) {
		long until = System.nanoTime() + longestNanos;
		while (!condition.getAsBoolean() && until - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(LOOK_AGAIN_NANOS);
		}
	}

}
