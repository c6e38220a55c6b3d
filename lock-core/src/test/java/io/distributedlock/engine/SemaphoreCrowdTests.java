package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockCapability;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.ReleaseSignal;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Those who wait for a permit do not all ask whenever one is released.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SemaphoreCrowdTests {

	private final TrickyProvider provider = new TrickyProvider();

	private final DefaultLockTemplate template = DefaultLockTemplate.builder()
		.provider(this.provider)
		.waitTime(Duration.ofMinutes(5))
		.pollInterval(Duration.ofSeconds(30))
		.build();

	@AfterEach
	void close() {
		this.template.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void crowdIsServedWithAFewCommandsEach(int permits) throws Exception {
		int crowd = 1000;
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<CompletableFuture<Void>> waiters = new ArrayList<>();
		for (int i = 0; i < crowd; i++) {
			waiters
				.add(this.template.acquireAsync(LockRequest.of("k").withPermits(permits)).thenAcceptAsync((handle) -> {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					inside.decrementAndGet();
					handle.close();
				}));
		}
		for (CompletableFuture<Void> waiter : waiters) {
			waiter.get(Patience.SECONDS, TimeUnit.SECONDS);
		}
		assertThat(most.get()).isBetween(1, permits);
		assertThat(this.provider.acquire.calls()).as("commands").isLessThan(crowd * 10);
		Leftovers.assertNone(this.template);
	}

	/**
	 * Three permits are taken: a call for one of two waits, one for one of five does not.
	 */
	@Test
	void callThatAsksForFewerPermitsKeepsNobodyBack() {
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			held.add(this.template.acquire(LockRequest.of("numbers").withPermits(5)));
		}
		CompletableFuture<LockHandle> waiting = this.template
			.acquireAsync(LockRequest.of("numbers").withPermits(2).withWaitTime(Duration.ofSeconds(60)));
		Patience.await().during(Duration.ofMillis(50)).until(() -> !waiting.isDone());
		held.add(this.template.acquire(LockRequest.of("numbers").withPermits(5).withWaitTime(Duration.ofSeconds(20))));
		assertThat(waiting).isNotDone();
		held.forEach(LockHandle::close);
		assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void whoCannotWaitAsksOnceAndWhoGivesUpLetsTheNextAsk() throws Exception {
		LockRequest request = LockRequest.of("k").withPermits(1);
		LockHandle held = this.template.acquire(request);
		assertThat(this.template.tryAcquire(request)).isEmpty();
		CompletableFuture<LockHandle> first = this.template.acquireAsync(request);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(request);
		CompletableFuture<LockHandle> third = this.template.acquireAsync(request);
		first.cancel(false);
		second.cancel(false);
		held.close();
		third.get(Patience.SECONDS, TimeUnit.SECONDS).close();
		Leftovers.assertNone(this.template);
	}

	/**
	 * This provider signals from inside of the call by which one begins to listen.
	 */
	@Test
	void whoWaitsListensOnceAndNoLongerThanItWaits() {
		Listened listened = new Listened();
		try (DefaultLockTemplate signalled = DefaultLockTemplate.builder().provider(listened).build()) {
			LockRequest request = LockRequest.of("k").withPermits(1).withWaitTime(Duration.ofMinutes(5));
			LockHandle held = signalled.acquire(request);
			CompletableFuture<LockHandle> waiting = signalled.acquireAsync(request);
			assertThat(listened.listeners).hasValue(1);
			held.close();
			assertThat(waiting).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
			Patience.await().untilAsserted(() -> assertThat(listened.listeners).hasValue(0));
		}
	}

	@Test
	void permitAndLockOfOneKeyAreTwoLocks() {
		LockRequest both = LockRequest.of("a").withPermits(1).and(LockRequest.of("a"));
		try (LockHandle handle = this.template.acquire(both)) {
			assertThat(handle.parts()).hasSize(2);
			assertThat(OtherThread.call(() -> this.template.tryAcquire("a"))).as("the lock").isEmpty();
			assertThat(OtherThread.call(() -> this.template.tryAcquire(LockRequest.of("a").withPermits(1))))
				.as("the permit")
				.isEmpty();
		}
		try (LockHandle handle = this.template.acquire(LockRequest.of("a").and(LockRequest.of("a").withPermits(1)))) {
			assertThat(handle.parts()).hasSize(2);
		}
		Leftovers.assertNone(this.template);
	}

	private static final class Listened implements LockProvider, ReleaseSignal {

		private final LocalLockProvider local = new LocalLockProvider();

		private final AtomicInteger listeners = new AtomicInteger();

		@Override
		public String name() {
			return "listened";
		}

		@Override
		public Set<LockCapability> capabilities() {
			return this.local.capabilities();
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return this.local.tryAcquire(request);
		}

		@Override
		public Subscription listen(String key, Runnable onRelease) {
			this.listeners.incrementAndGet();
			Subscription subscription = this.local.listen(key, onRelease);
			return () -> {
				subscription.close();
				this.listeners.decrementAndGet();
			};
		}

	}

}
