package io.distributedlock.engine.internal.monitor;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.HeldByHand;
import io.distributedlock.engine.Inside;
import io.distributedlock.engine.LockTemplateBuilder;
import io.distributedlock.engine.ScheduledByHand;
import io.distributedlock.engine.internal.key.CallsUnderWay;
import io.distributedlock.engine.internal.runtime.EngineRuntime;
import io.distributedlock.engine.internal.runtime.SystemRuntime;
import io.distributedlock.engine.internal.runtime.Timers;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.patience.Patience.await;

@Timeout(60)
class HeldLockMonitorTests {

	private static final Duration WARN_AFTER = Duration.ofSeconds(2);

	private final PrintStream before = System.err;

	private final ByteArrayOutputStream log = new ByteArrayOutputStream();

	private final DefaultLockTemplate template;

	HeldLockMonitorTests() {
		System.setErr(new PrintStream(this.log, true, StandardCharsets.UTF_8));
		this.template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).warnAfter(WARN_AFTER).build();
	}

	@AfterEach
	void close() {
		this.template.close();
		System.setErr(this.before);
	}

	@Test
	void longHoldIsReportedOnceWithTheStackOfItsHolder() {
		try (LockHandle handle = this.template.acquire("k")) {
			await().until(() -> log().contains("lock.warn-after"));
			await().pollDelay(Duration.ofMillis(2500)).until(handle::isValid);
		}
		assertThat(log()).containsOnlyOnce("lock.warn-after")
			.contains("Lock 'k'")
			.contains("longHoldIsReportedOnceWithTheStackOfItsHolder");
	}

	/**
	 * As where there is no memory to list what is held.
	 */
	@Test
	void reviewThatFailsIsNotTheLast() {
		ScheduledByHand runtime = new ScheduledByHand();
		HeldByHand held = new HeldByHand();
		HeldLockMonitor monitor = new HeldLockMonitor(runtime, new Timers(runtime), new CallsUnderWay(), WARN_AFTER,
				true);
		monitor.plan(null);
		runtime.moveTo(WARN_AFTER.toNanos());
		runtime.runTimers();
		held.runUntil(2 * WARN_AFTER.toNanos());
		monitor.plan(held.lock.keeper());
		runtime.moveTo(2 * WARN_AFTER.toNanos());
		runtime.runTimers();
		assertThat(log()).contains("lock.warn-after");
	}

	@Test
	void shortHoldsAreNotReported() {
		long longest;
		do {
			this.log.reset();
			longest = longestOfShortHolds();
		}
		// a pause of the machine has made one of them long
		while (longest >= WARN_AFTER.toNanos());
		assertThat(log()).doesNotContain("lock.warn-after");
	}

	/**
	 * Hold a lock again and again, together for longer than one hold may last.
	 * @return the nanoseconds that the longest of them has taken
	 */
	private long longestOfShortHolds() {
		long longest = 0;
		for (int i = 0; i < 25; i++) {
			long begun = System.nanoTime();
			this.template.execute("k", () -> await().pollDelay(Duration.ofMillis(100)).until(() -> true));
			longest = Math.max(longest, System.nanoTime() - begun);
		}
		return longest;
	}

	@Test
	void threadsThatWaitForEachOtherAreReportedOnce() {
		CyclicBarrier bothHold = new CyclicBarrier(2);
		CompletableFuture<Void> first = takeTwo("first", "a", "b", bothHold);
		CompletableFuture<Void> second = takeTwo("second", "b", "a", bothHold);
		await().until(() -> log().contains("wait for each other's locks"));
		assertThat(this.template.activity().waiting()).hasSize(2);
		// there is a look at them each second
		await().pollDelay(Duration.ofMillis(2500)).until(() -> true);
		endWaits(first, second);
		assertThat(log()).containsOnlyOnce("wait for each other's locks")
			.contains("waits for lock 'b', which the next one holds: thread 'first'")
			.contains("waits for lock 'a', which the next one holds: thread 'second'")
			.contains("HeldLockMonitorTests.lambda$takeTwo");
	}

	@Test
	void threadThatWaitsForAHolderThatWorksIsNoDeadlock() {
		LockHandle held = this.template.acquire("a");
		CompletableFuture<Void> waiter = CompletableFuture.runAsync(
				() -> this.template.acquire(LockRequest.of("a").withWaitTime(Patience.LIMIT)).close(),
				(task) -> new Thread(task, "waiter").start());
		await().until(() -> log().contains("lock.warn-after"));
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		held.close();
		waiter.join();
		assertThat(log()).doesNotContain("each other");
	}

	@Test
	void aCircleOfThreeThreadsIsFoundOnce() {
		CyclicBarrier allHold = new CyclicBarrier(3);
		List<CompletableFuture<Void>> calls = List.of(takeTwo("1", "a", "b", allHold), takeTwo("2", "b", "c", allHold),
				takeTwo("3", "c", "a", allHold));
		await().until(() -> this.template.activity().waiting().size() == 3);
		List<List<Deadlocks.Wait>> circles = Deadlocks.find(Inside.of(this.template).calls().waiting(),
				Inside.of(this.template).keeper().held());
		assertThat(circles).singleElement().satisfies((circle) -> assertThat(circle).hasSize(3));
		endWaits(calls.toArray(CompletableFuture<?>[]::new));
	}

	@Test
	void manyLocksAreListedWhileTimePasses() {
		LockTemplateBuilder builder = DefaultLockTemplate.builder().provider(new LocalLockProvider());
		PausedNowAndThen runtime = new PausedNowAndThen();
		builder.runtime((executor) -> runtime);
		try (DefaultLockTemplate busy = builder.build()) {
			for (int i = 0; i < 1000; i++) {
				busy.acquire("k" + i);
			}
			runtime.pausing = true;
			for (int i = 0; i < 20; i++) {
				assertThat(busy.activity().held()).hasSize(1000)
					.first()
					.satisfies((held) -> assertThat(held.key()).isEqualTo("k0"));
			}
			runtime.pausing = false;
		}
	}

	@Test
	void holderOfAPermitIsInNoCircle() {
		LockRequest permit = LockRequest.of("a").withType(LockType.SEMAPHORE).withPermits(1);
		CyclicBarrier bothHold = new CyclicBarrier(2);
		LockRequest patient = LockRequest.of("b").withWaitTime(Patience.LIMIT);
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> this.template.execute(permit, () -> {
			meet(bothHold);
			this.template.tryAcquire(patient).ifPresent(LockHandle::close);
		}), (task) -> new Thread(task, "first").start());
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> this.template.execute("b", () -> {
			meet(bothHold);
			this.template.tryAcquire(permit.withWaitTime(Patience.LIMIT)).ifPresent(LockHandle::close);
		}), (task) -> new Thread(task, "second").start());
		await().until(() -> this.template.activity().waiting().size() == 2);
		assertThat(Deadlocks.find(Inside.of(this.template).calls().waiting(), Inside.of(this.template).keeper().held()))
			.isEmpty();
		endWaits(first, second);
	}

	private CompletableFuture<Void> takeTwo(String thread, String one, String two, CyclicBarrier barrier) {
		LockRequest patient = LockRequest.of(two).withWaitTime(Patience.LIMIT);
		return CompletableFuture.runAsync(() -> this.template.execute(one, () -> {
			meet(barrier);
			this.template.tryAcquire(patient).ifPresent(LockHandle::close);
		}), (task) -> new Thread(task, thread).start());
	}

	/**
	 * End calls that wait for each other, which fail.
	 */
	private void endWaits(CompletableFuture<?>... calls) {
		this.template.close();
		for (CompletableFuture<?> call : calls) {
			assertThat(call).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
		}
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String log() {
		return this.log.toString(StandardCharsets.UTF_8);
	}

	/**
	 * A JVM whose threads are paused between two looks at the clock.
	 */
	private static final class PausedNowAndThen implements EngineRuntime {

		private final EngineRuntime threads = new SystemRuntime(null);

		private final AtomicLong looks = new AtomicLong();

		private final AtomicLong pausedNanos = new AtomicLong();

		private volatile boolean pausing;

		@Override
		public long nanoTime() {
			if (this.pausing && this.looks.incrementAndGet() % 7 == 0) {
				this.pausedNanos.addAndGet(500_000);
			}
			return System.nanoTime() + this.pausedNanos.get();
		}

		@Override
		public void schedule(Runnable task, long delayNanos) {
			this.threads.schedule(task, delayNanos);
		}

		@Override
		public void execute(Runnable task) {
			this.threads.execute(task);
		}

		@Override
		public void callBack(Runnable task) {
			this.threads.callBack(task);
		}

		@Override
		public <T> T await(CompletableFuture<T> future, long timeoutNanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			return this.threads.await(future, timeoutNanos);
		}

		@Override
		public long random(long bound) {
			return this.threads.random(bound);
		}

		@Override
		public void close() {
			this.threads.close();
		}

	}

}
