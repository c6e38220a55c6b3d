package io.distributedlock.engine.internal.monitor;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.distributedlock.engine.internal.key.CallsUnderWay;
import io.distributedlock.engine.internal.lease.HeldLock;
import io.distributedlock.engine.internal.lease.LeaseKeeper;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.LockTimes;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.spi.support.LimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Looks from time to time at what is held, and warns of locks that are held for too long
 * and of threads that wait for each other. While nothing is held, it does nothing.
 */
public final class HeldLockMonitor {

	private static final long INTERVAL_NANOS = 1_000_000_000;

	private static final int MOST_FRAMES = 30;

	private final LimitedLog warnings = new LimitedLog(LoggerFactory.getLogger(HeldLockMonitor.class));

	private final EngineRuntime runtime;

	private final Timers timers;

	private final CallsUnderWay calls;

	private final @Nullable Duration warnAfter;

	private final long intervalNanos;

	private final AtomicBoolean planned = new AtomicBoolean();

	/**
	 * Who was warned of already. One thread at a time reviews.
	 */
	private final Set<Object> known = Collections.newSetFromMap(new WeakHashMap<>());

	/**
	 * Create a monitor.
	 * @param warnAfter for how long a lock may be held without a warning, {@code null}
	 * for any time
	 * @param enabled whether to review at all
	 */
	public HeldLockMonitor(EngineRuntime runtime, Timers timers, CallsUnderWay calls, @Nullable Duration warnAfter,
			boolean enabled) {
		this.runtime = runtime;
		this.timers = timers;
		this.calls = calls;
		this.planned.set(!enabled);
		this.warnAfter = warnAfter;
		this.intervalNanos = (warnAfter != null) ? Math.min(INTERVAL_NANOS, LockTimes.saturatedNanos(warnAfter))
				: INTERVAL_NANOS;
	}

	/**
	 * Note that a lock is held from now on.
	 * @param keeper knows it
	 */
	public void plan(LeaseKeeper keeper) {
		if (!this.planned.get() && this.planned.compareAndSet(false, true)) {
			this.timers.stepAt(this.runtime.nanoTime() + this.intervalNanos, () -> review(keeper));
		}
	}

	private void review(LeaseKeeper keeper) {
		try {
			List<HeldLock> held = keeper.held();
			warnOfLongHolds(held);
			warnOfDeadlocks(Deadlocks.find(this.calls.waiting(), held));
		}
		finally {
			this.planned.set(false);
			// a lock that came just now may have found a review planned
			if (keeper.size() > 0) {
				plan(keeper);
			}
		}
	}

	private void warnOfLongHolds(List<HeldLock> held) {
		Duration limit = this.warnAfter;
		if (limit == null) {
			return;
		}
		held.stream().filter((lock) -> lock.heldFor().compareTo(limit) > 0 && this.known.add(lock)).forEach((lock) -> {
			Thread thread = lock.thread();
			this.warnings.warn(
					"Lock '{}' of provider {} has been held for {} ms, which is longer than {} ms (lock.warn-after).{}",
					lock.key(), lock.attempt().providerName(), lock.heldFor().toMillis(), limit.toMillis(),
					(thread != null) ? new Holder(thread) : "");
		});
	}

	private void warnOfDeadlocks(List<List<Deadlocks.Wait>> circles) {
		for (List<Deadlocks.Wait> circle : circles) {
			boolean fresh = false;
			for (Deadlocks.Wait wait : circle) {
				fresh |= this.known.add(wait.call());
			}
			if (fresh) {
				this.warnings.warn(
						"Threads wait for each other's locks, and go on only when a wait time is over. Acquire the locks in the same order everywhere, or together.{}",
						circle.stream()
							.map((wait) -> "%n- waits for lock '%s', which the next one holds: %s"
								.formatted(wait.call().attempt().key(), describe(wait.waiter())))
							.collect(Collectors.joining()));
			}
		}
	}

	private static String describe(Thread thread) {
		return "thread '%s'%s".formatted(thread.getName(),
				Arrays.stream(thread.getStackTrace())
					.limit(MOST_FRAMES)
					.map("%n\tat %s"::formatted)
					.collect(Collectors.joining()));
	}

	/**
	 * Describes a thread when it is written down, which costs a look at its stack.
	 */
	private record Holder(Thread thread) {

		@Override
		public String toString() {
			return " Its holder: " + describe(this.thread);
		}

	}

}
