package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps that meet: whoever comes first, each call ends once, and nothing is left.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RacesTests {

	private static final long NANOS_PER_TEST = 1_000_000_000L;

	private final TrickyProvider provider = new TrickyProvider();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final long end = System.nanoTime() + NANOS_PER_TEST;

	private DefaultLockTemplate template = template(Duration.ofSeconds(30));

	@AfterEach
	void close() {
		this.template.close();
		this.threads.shutdownNow();
	}

	private DefaultLockTemplate template(Duration lease) {
		return DefaultLockTemplate.builder()
			.provider(this.provider)
			.waitTime(Duration.ofSeconds(60))
			.renewalLeaseTime(lease)
			.commandTimeout(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(20))
			.build();
	}

	@Test
	void lossMeetsTwoClosesAndAWaiter() throws Exception {
		for (int round = 0; round < 5000 && isTimeLeft(); round++) {
			LockHandle handle = this.template.acquireAsync(LockRequest.of("k")).get(Patience.SECONDS, TimeUnit.SECONDS);
			TrickyProvider.TrickyLease lease = this.provider.lastLease();
			AtomicInteger told = new AtomicInteger();
			handle.onLost((loss) -> told.incrementAndGet());
			CompletableFuture<LockHandle> waiter = this.template.acquireAsync(LockRequest.of("k"));
			atOnce(handle::close, lease::lose, () -> handle.closeAsync().join());
			waiter.get(Patience.SECONDS, TimeUnit.SECONDS).close();
			assertThat(told.get()).isBetween(0, 1);
			this.provider.leases.clear();
		}
		assertNothingIsLeft();
	}

	@Test
	void closeOfTheTemplateMeetsAcquisitionsReleasesAndLosses() throws Exception {
		for (int round = 0; round < 300 && isTimeLeft(); round++) {
			DefaultLockTemplate closing = template(Duration.ofSeconds(30));
			LockHandle held = closing.acquireAsync(LockRequest.of("k")).get(Patience.SECONDS, TimeUnit.SECONDS);
			TrickyProvider.TrickyLease lease = this.provider.lastLease();
			List<CompletableFuture<LockHandle>> calls = new ArrayList<>();
			atOnce(closing::close, held::close, lease::lose, () -> calls.add(closing.acquireAsync(LockRequest.of("k"))),
					() -> held.extendAsync(Duration.ofMinutes(1)).handle((done, failure) -> true).join());
			for (CompletableFuture<LockHandle> call : calls) {
				call.handle((handle, failure) -> true).get(Patience.SECONDS, TimeUnit.SECONDS);
			}
			Leftovers.assertNone(closing);
			Patience.await().until(() -> this.provider.isFree("k"));
			this.provider.leases.clear();
		}
	}

	@Test
	void lossMeetsTheGrant() throws Exception {
		for (int round = 0; round < 5000 && isTimeLeft(); round++) {
			CompletableFuture<Boolean> answer = new CompletableFuture<>();
			AtomicBoolean registered = new AtomicBoolean();
			this.provider.acquire.next(Trick.late(answer));
			this.provider.onLost.next((properly) -> {
				registered.set(properly.get());
				return true;
			});
			CompletableFuture<LockHandle> first = this.template.acquireAsync(LockRequest.of("k"));
			CompletableFuture<LockHandle> second = this.template.acquireAsync(LockRequest.of("k"));
			atOnce(() -> answer.complete(true), () -> {
				while (!registered.get()) {
					Thread.onSpinWait();
				}
				this.provider.lastLease().lose();
			});
			LockHandle handle = first.get(Patience.SECONDS, TimeUnit.SECONDS);
			if (handle.isValid()) {
				// lost before this call had it, and acquired again
				handle.close();
			}
			second.get(Patience.SECONDS, TimeUnit.SECONDS).close();
			handle.close();
			this.provider.leases.clear();
		}
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void cancellationMeetsTheGrant(LockType type) throws Exception {
		LockRequest request = (type == LockType.SEMAPHORE) ? LockRequest.of("k").withPermits(1)
				: LockRequest.of("k").withType(type);
		for (int round = 0; round < 5000 && isTimeLeft(); round++) {
			LockHandle held = this.template.acquireAsync(request).get(Patience.SECONDS, TimeUnit.SECONDS);
			CompletableFuture<LockHandle> cancelled = this.template.acquireAsync(request);
			CompletableFuture<LockHandle> granted = this.template.acquireAsync(request);
			atOnce(held::close, () -> cancelled.cancel(false));
			if (!cancelled.isCancelled()) {
				cancelled.join().close();
			}
			granted.get(Patience.SECONDS, TimeUnit.SECONDS).close();
			this.provider.leases.clear();
		}
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = { "EXCLUSIVE", "FAIR", "SEMAPHORE" })
	void endOfTheWaitMeetsTheGrant(LockType type) throws Exception {
		LockRequest request = (type == LockType.SEMAPHORE) ? LockRequest.of("k").withPermits(2)
				: LockRequest.of("k").withType(type);
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			callers.add(this.threads.submit(() -> {
				// once at least, since the machine may pause until the time is over
				do {
					Duration wait = Duration.ofNanos(ThreadLocalRandom.current().nextLong(3_000_000));
					this.template.tryAcquire(request.withWaitTime(wait)).ifPresent((handle) -> {
						most.accumulateAndGet(inside.incrementAndGet(), Math::max);
						inside.decrementAndGet();
						handle.close();
					});
				}
				while (isTimeLeft());
			}));
		}
		for (Future<?> caller : callers) {
			caller.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		assertThat(most.get()).isBetween(1, (type == LockType.SEMAPHORE) ? 2 : 1);
		assertNothingIsLeft();
	}

	@Test
	void extensionsMeetRenewalsAndWarnings() throws Exception {
		this.template.close();
		this.template = template(Duration.ofSeconds(20));
		LockHandle handle = this.template.acquireAsync(LockRequest.of("k")).get(Patience.SECONDS, TimeUnit.SECONDS);
		AtomicInteger warned = new AtomicInteger();
		List<Future<?>> holders = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			holders.add(this.threads.submit(() -> {
				while (isTimeLeft()) {
					long millis = ThreadLocalRandom.current().nextLong(5_000, 25_000);
					handle.extendAsync(Duration.ofMillis(millis)).join();
					handle.onExpiring(Duration.ofMillis(millis), warned::incrementAndGet);
					if (warned.get() > 10_000) {
						return;
					}
				}
			}));
		}
		for (Future<?> holder : holders) {
			holder.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		handle.ensureHeld();
		int sent = this.provider.renew.calls();
		Patience.await().until(() -> this.provider.renew.calls() > sent);
		handle.close();
		assertNothingIsLeft();
	}

	@Test
	void interruptMeetsTheGrant() throws Exception {
		LockRequest request = LockRequest.of("k");
		for (int round = 0; round < 2000 && isTimeLeft(); round++) {
			LockHandle held = this.template.acquireAsync(request).get(Patience.SECONDS, TimeUnit.SECONDS);
			Thread waiter = new Thread(() -> {
				try (LockHandle handle = this.template.acquire(request)) {
					handle.ensureHeld();
				}
				catch (RuntimeException ex) {
					// it was interrupted first
				}
			});
			waiter.start();
			atOnce(held::close, waiter::interrupt);
			waiter.join(TimeUnit.SECONDS.toMillis(60));
			assertThat(waiter.isAlive()).isFalse();
			this.provider.leases.clear();
		}
		assertNothingIsLeft();
	}

	private boolean isTimeLeft() {
		return System.nanoTime() - this.end < 0;
	}

	private void atOnce(Runnable... steps) throws Exception {
		Phaser start = new Phaser(steps.length);
		List<Future<?>> running = new ArrayList<>();
		for (Runnable step : steps) {
			running.add(this.threads.submit(() -> {
				start.arriveAndAwaitAdvance();
				step.run();
			}));
		}
		for (Future<?> each : running) {
			each.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
	}

	private void assertNothingIsLeft() {
		Leftovers.assertNone(this.template);
		assertThat(this.provider.isFree("k")).isTrue();
	}

}
