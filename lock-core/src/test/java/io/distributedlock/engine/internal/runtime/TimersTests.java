package io.distributedlock.engine.internal.runtime;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.stream.IntStream;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Timers run once, not before their time and soon after it, or not at all if they were
 * cancelled; also while many threads add and cancel them.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class TimersTests {

	private static final long SECOND = 1_000_000_000;

	@ParameterizedTest
	@ValueSource(longs = { 0, 123_456_789, Long.MAX_VALUE - 5 * SECOND, -7 * SECOND })
	void eachRunsJustAfterItsTimeAndInOrder(long start) {
		ManualRuntime runtime = new ManualRuntime(start);
		Timers timers = new Timers(runtime);
		Random random = new Random(42);
		List<Long> late = new ArrayList<>();
		List<Long> ran = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			long delay = (long) (Math.pow(random.nextDouble(), 4) * 40 * SECOND);
			long at = start + delay;
			timers.at(at, () -> {
				ran.add(at - start);
				late.add(runtime.nanoTime() - at);
			});
		}
		runtime.runUntil(start + 41 * SECOND);
		assertThat(ran).hasSize(5000).isSorted();
		assertThat(late).as("nanoseconds after its time")
			.allSatisfy((nanos) -> assertThat(nanos).isBetween(0L, 200_000L));
		assertThat(timers.size()).isZero();
	}

	@Test
	void manyFarAwayNeedFewWakeUps() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		List<Timers.Timer> all = new ArrayList<>();
		for (int i = 0; i < 100_000; i++) {
			all.add(timers.at(10 * SECOND + i * 100_000L, () -> {
			}));
		}
		assertThat(runtime.scheduled).as("wake-ups for 100,000 timers").isLessThan(100);
		all.forEach(Timers.Timer::cancel);
		assertThat(timers.size()).isZero();
		runtime.runUntil(30 * SECOND);
		assertThat(runtime.scheduled).isLessThan(100);
	}

	@Test
	void wakeUpForOneFarAwayIsSetOnce() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		AtomicInteger runs = new AtomicInteger();
		timers.at(3600 * SECOND, runs::incrementAndGet);
		for (int i = 1; i <= 1000; i++) {
			timers.at(i * SECOND, runs::incrementAndGet);
			runtime.runUntil(i * SECOND);
		}
		assertThat(runs).hasValue(1000);
		assertThat(runtime.due).as("wake-ups").hasSizeLessThan(10);
		runtime.runUntil(3600 * SECOND);
		assertThat(runs).hasValue(1001);
	}

	/**
	 * Another thread adds a timer for the same time while the JVM fails to schedule it.
	 */
	@Test
	void timersAfterOneThatCouldNotBeScheduledRun() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		AtomicInteger runs = new AtomicInteger();
		runtime.beforeSchedule = () -> {
			timers.at(10 * SECOND, runs::incrementAndGet);
			throw new OutOfMemoryError("no thread");
		};
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> timers.at(10 * SECOND, runs::incrementAndGet));
		timers.at(10 * SECOND, runs::incrementAndGet);
		runtime.runUntil(20 * SECOND);
		assertThat(runs).as("the timer of the other thread, and the later one").hasValue(2);
	}

	/**
	 * The thread is woken for the first one.
	 */
	@Test
	void timersRunThoughTheNextWakeUpCouldNotBeSet() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		AtomicInteger runs = new AtomicInteger();
		for (int i = 0; i < 10; i++) {
			timers.at(10 * SECOND + i, runs::incrementAndGet);
		}
		runtime.beforeSchedule = () -> {
			throw new OutOfMemoryError("no room for a timer");
		};
		runtime.runUntil(20 * SECOND);
		assertThat(runs).hasValue(10);
	}

	/**
	 * The thread that sets a timer may come to a halt while another one runs it.
	 */
	@Test
	void timerThatRunsWhileItIsSetMaySetTheNextOne() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		Clock clock = new Clock();
		runtime.beforeSchedule = () -> timers.at(Clock.TIMER, clock, 5 * SECOND, clock.runs::incrementAndGet);
		timers.at(Clock.TIMER, clock, 0, () -> {
		});
		runtime.runUntil(10 * SECOND);
		assertThat(clock.runs).hasValue(1);
	}

	@Test
	void timerStaysIfTheNextOneCannotBeSet() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		Clock clock = new Clock();
		timers.at(Clock.TIMER, clock, 5 * SECOND, clock.runs::incrementAndGet);
		runtime.beforeSchedule = () -> {
			throw new OutOfMemoryError("no thread");
		};
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> timers.at(Clock.TIMER, clock, 3 * SECOND, clock.runs::incrementAndGet));
		runtime.runUntil(4 * SECOND);
		assertThat(clock.runs).hasValue(0);
		runtime.runUntil(6 * SECOND);
		assertThat(clock.runs).hasValue(1);
	}

	@Test
	void timerReplacesTheOneBefore() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		Clock clock = new Clock();
		for (int i = 5; i < 9; i++) {
			timers.stepAt(Clock.TIMER, clock, i * SECOND, clock.runs::incrementAndGet);
		}
		assertThat(timers.size()).isOne();
		runtime.runUntil(10 * SECOND);
		assertThat(clock.runs).hasValue(1);
	}

	@Test
	void timerMayAddAndCancelOthersAndItself() {
		ManualRuntime runtime = new ManualRuntime(0);
		Timers timers = new Timers(runtime);
		AtomicInteger runs = new AtomicInteger();
		Timers.Timer victim = timers.at(2 * SECOND, runs::incrementAndGet);
		timers.at(SECOND, () -> {
			victim.cancel();
			victim.cancel();
			timers.at(runtime.nanoTime(), runs::incrementAndGet);
			timers.at(runtime.nanoTime() - SECOND, runs::incrementAndGet);
			throw new IllegalStateException("a bug");
		});
		timers.at(SECOND, runs::incrementAndGet);
		runtime.runUntil(3 * SECOND);
		assertThat(runs).hasValue(3);
		assertThat(timers.size()).isZero();
	}

	@Test
	void noneIsLostOrRunTwiceWhileThreadsAddAndCancel() throws Exception {
		SystemRuntime runtime = new SystemRuntime(null);
		Timers timers = new Timers(runtime);
		AtomicInteger tooEarly = new AtomicInteger();
		List<CompletableFuture<List<Tracked>>> threads = IntStream.range(0, 6)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> addAndCancel(timers, tooEarly),
					(task) -> new Thread(task).start()))
			.toList();
		List<Tracked> all = new ArrayList<>();
		for (CompletableFuture<List<Tracked>> thread : threads) {
			all.addAll(thread.get(Patience.SECONDS * 2, TimeUnit.SECONDS));
		}
		Patience.await().until(() -> timers.size() == 0);
		Patience.await().until(() -> all.stream().allMatch((each) -> each.cancelled || each.runs.get() == 1));
		assertThat(all).allSatisfy((each) -> assertThat(each.runs.get()).isLessThanOrEqualTo(1));
		assertThat(tooEarly).hasValue(0);
		runtime.close();
	}

	private static List<Tracked> addAndCancel(Timers timers, AtomicInteger tooEarly) {
		List<Tracked> all = new ArrayList<>();
		ThreadLocalRandom random = ThreadLocalRandom.current();
		long end = System.nanoTime() + 2 * SECOND;
		while (System.nanoTime() - end < 0 && all.size() < 50_000) {
			Tracked tracked = new Tracked();
			long at = System.nanoTime() + random.nextLong(random.nextBoolean() ? 300_000 : 20_000_000);
			Timers.Timer timer = timers.at(at, () -> {
				tracked.runs.incrementAndGet();
				if (System.nanoTime() - at < 0) {
					tooEarly.incrementAndGet();
				}
			});
			all.add(tracked);
			if (random.nextInt(3) == 0) {
				tracked.cancelled = true;
				timer.cancel();
			}
		}
		return all;
	}

	@Test
	void noneIsLostOrRunTwiceWhileTheyAreClosed() throws Exception {
		for (int round = 0; round < 100; round++) {
			SystemRuntime runtime = new SystemRuntime(null);
			Timers timers = new Timers(runtime);
			AtomicBoolean closed = new AtomicBoolean();
			CompletableFuture<List<Tracked>> adding = CompletableFuture.supplyAsync(() -> {
				List<Tracked> all = new ArrayList<>();
				for (int i = 0; i < 200 || (!closed.get() && i < 20_000); i++) {
					Tracked tracked = new Tracked();
					all.add(tracked);
					timers.at(System.nanoTime() + 3600 * SECOND + i, tracked.runs::incrementAndGet);
				}
				return all;
			}, (task) -> new Thread(task).start());
			timers.close();
			closed.set(true);
			assertThat(adding.get(Patience.SECONDS, TimeUnit.SECONDS))
				.allSatisfy((each) -> assertThat(each.runs).hasValue(1));
			runtime.close();
		}
	}

	/**
	 * A timer and how often it ran.
	 */
	private static final class Tracked {

		private final AtomicInteger runs = new AtomicInteger();

		private volatile boolean cancelled;

	}

	/**
	 * What has one timer at a time.
	 */
	private static final class Clock {

		private static final AtomicReferenceFieldUpdater<Clock, Timers.Timer> TIMER = AtomicReferenceFieldUpdater
			.newUpdater(Clock.class, Timers.Timer.class, "timer");

		private final AtomicInteger runs = new AtomicInteger();

		@SuppressWarnings("UnusedVariable")
		private volatile Timers.Timer timer = Timers.Timer.NONE;

	}

	/**
	 * Time that a test moves on.
	 */
	private static final class ManualRuntime implements EngineRuntime {

		private final PriorityQueue<Due> due;

		private final AtomicLong now = new AtomicLong();

		private long sequence;

		private int scheduled;

		/**
		 * Runs once.
		 */
		private Runnable beforeSchedule = () -> {
		};

		private ManualRuntime(long start) {
			this.now.set(start);
			this.due = new PriorityQueue<>(
					Comparator.comparingLong((Due each) -> each.at - start).thenComparingLong((each) -> each.sequence));
		}

		private void runUntil(long end) {
			while (!this.due.isEmpty() && this.due.peek().at - end <= 0) {
				Due next = this.due.remove();
				if (next.at - this.now.get() > 0) {
					this.now.set(next.at);
				}
				next.task.run();
			}
			this.now.set(end);
		}

		@Override
		public long nanoTime() {
			return this.now.get();
		}

		@Override
		public void schedule(Runnable task, long delayNanos) {
			Runnable before = this.beforeSchedule;
			this.beforeSchedule = () -> {
			};
			before.run();
			this.scheduled++;
			this.due.add(new Due(this.now.get() + Math.max(delayNanos, 0), this.sequence++, task));
		}

		@Override
		public void execute(Runnable task) {
			task.run();
		}

		@Override
		public void callBack(Runnable task) {
			task.run();
		}

		@Override
		public <T> T await(CompletableFuture<T> future, long timeoutNanos) {
			return future.join();
		}

		@Override
		public long random(long bound) {
			return 0;
		}

		@Override
		public void close() {
			this.due.clear();
		}

	}

	/**
	 * A task of the runtime.
	 */
	private record Due(long at, long sequence, Runnable task) {
	}

}
