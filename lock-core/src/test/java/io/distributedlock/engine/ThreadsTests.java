package io.distributedlock.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The threads that renew and signal survive an interrupt and a JVM that has no thread for
 * a moment, and cost little however many locks are held.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ThreadsTests {

	private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

	private final TrickyProvider provider = new TrickyProvider();

	private final AtomicReference<DefaultLockTemplate> template = new AtomicReference<>();

	@AfterEach
	void close() {
		this.template.get().close();
	}

	@Test
	void interruptOfTheTimerThreadIsSurvivedWithoutSpinning() {
		Set<Thread> before = timerThreads();
		this.provider.over = 0.8;
		start(Duration.ofMinutes(1));
		LockHandle handle = acquire("k");
		Thread timer = newTimerThread(before);
		for (int i = 0; i < 3; i++) {
			timer.interrupt();
			int sent = this.provider.renew.calls();
			Patience.await().until(() -> this.provider.renew.calls() >= sent + 2);
		}
		handle.ensureHeld();
		Duration used = cpuTime(timer, Duration.ofSeconds(2), () -> {
		});
		assertThat(used).as("CPU time in 2 s of one kept lock").isLessThan(Duration.ofMillis(300));
		handle.close();
		Leftovers.assertNone(this.template.get());
	}

	@Test
	void manyHeldLocksCostLittleWhileOthersComeAndGo() {
		Set<Thread> before = timerThreads();
		start(Duration.ofMinutes(5));
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 40_000; i++) {
			held.add(this.template.get().acquireAsync(LockRequest.of("held" + i)).join());
		}
		Thread timer = newTimerThread(before);
		AtomicInteger cycles = new AtomicInteger();
		Duration used = cpuTime(timer, Duration.ZERO, () -> {
			for (int i = 0; i < 3000; i++) {
				this.template.get().execute("k" + cycles.incrementAndGet(), () -> {
				});
				LockSupport.parkNanos(200_000);
			}
		});
		assertThat(used).as("CPU time of the timer thread").isLessThan(Duration.ofMillis(300));
		held.forEach(LockHandle::closeAsync);
	}

	@Test
	void locksAreRenewedAndLossesSignalledAfterAThreadCouldNotBeStarted() throws Exception {
		this.provider.over = 0.8;
		start(Duration.ofMinutes(1));
		AtomicReference<CompletableFuture<LockHandle>> future = new AtomicReference<>();
		ThreadlessThread.run(() -> future.set(this.template.get().acquireAsync(LockRequest.of("k"))));
		LockHandle handle = future.get().get(Patience.SECONDS, TimeUnit.SECONDS);
		int sent = this.provider.renew.calls();
		Patience.await().until(() -> this.provider.renew.calls() >= sent + 3);
		handle.ensureHeld();
		AtomicReference<LockLostException> told = new AtomicReference<>();
		handle.onLost(told::set);
		ThreadlessThread.run(() -> this.provider.lastLease().lose());
		Patience.await().until(() -> told.get() != null);
		handle.close();
		Leftovers.assertNone(this.template.get());
	}

	/**
	 * A provider that answers at once, and one that does so later.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void interruptBeforeACallEndsItOnlyIfItWaits(boolean later) {
		if (later) {
			this.provider.acquire.always(Trick.on(CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS)));
		}
		start(Duration.ofSeconds(30));
		LockRequest waiting = LockRequest.of("k").withWaitTime(Duration.ofMinutes(1));
		Thread.currentThread().interrupt();
		for (LockRequest each : List.of(waiting, LockRequest.ofAll(List.of("a", "k")))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.get().acquire(each))
				.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(Reason.INTERRUPTED));
		}
		assertThat(this.provider.acquire.calls()).as("asked").isZero();
		LockHandle handle = this.template.get().acquire(waiting.withWaitTime(Duration.ZERO));
		LockHandle again = this.template.get().acquire(waiting);
		assertThat(this.template.get().tryAcquire("other")).hasValueSatisfying(LockHandle::close);
		again.close();
		handle.close();
		assertThat(Thread.interrupted()).as("the flag").isTrue();
		Leftovers.assertNone(this.template.get());
	}

	private void start(Duration lease) {
		this.template.set(DefaultLockTemplate.builder()
			.provider(this.provider)
			.renewalLeaseTime(lease)
			.commandTimeout(Patience.LIMIT)
			.build());
	}

	private LockHandle acquire(String key) {
		return this.template.get().acquire(key);
	}

	private static Set<Thread> timerThreads() {
		return Set.copyOf(Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-timer") || thread.getName().startsWith("lock-keeper"))
			.toList());
	}

	private static Thread newTimerThread(Set<Thread> before) {
		return timerThreads().stream().filter((thread) -> !before.contains(thread)).findFirst().orElseThrow();
	}

	private Duration cpuTime(Thread thread, Duration atLeast, Runnable meanwhile) {
		long before = this.threads.getThreadCpuTime(thread.getId());
		long start = System.nanoTime();
		meanwhile.run();
		Patience.await().pollDelay(atLeast).atMost(atLeast.plusSeconds(60)).until(() -> System.nanoTime() - start > 0);
		return Duration.ofNanos(this.threads.getThreadCpuTime(thread.getId()) - before);
	}

}
