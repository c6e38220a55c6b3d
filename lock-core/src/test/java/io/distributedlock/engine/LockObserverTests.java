package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.event.ObservedCall;
import io.distributedlock.engine.internal.request.KeyId;
import io.distributedlock.engine.internal.request.LockAttempt;
import io.distributedlock.event.LockActivity;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockObservation;
import io.distributedlock.event.LockObserver;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;

class LockObserverTests {

	private static final LockRequest REQUEST = LockRequest.of("k").withLeaseTime(Duration.ofMinutes(1));

	private final Queue<String> steps = new ConcurrentLinkedQueue<>();

	private DefaultLockTemplate template = template(this::observe);

	private static DefaultLockTemplate template(LockObserver... observers) {
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider())
			.commandTimeout(Patience.LIMIT);
		List.of(observers).forEach(builder::observer);
		return builder.build();
	}

	private LockObservation observe(LockInfo call) {
		return new Recorder(call);
	}

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void blockingCallIsObservedOnItsThread() {
		String here = Thread.currentThread().getName();
		this.template.execute(REQUEST, () -> this.steps.add("work"));
		assertThat(this.steps).containsExactly("begin k on " + here, "acquired on " + here, "work",
				"released on " + here);
	}

	@Test
	void reentryIsNotObserved() {
		this.template.execute(REQUEST, () -> this.template.execute(REQUEST, () -> this.steps.add("work")));
		assertThat(this.steps).hasSize(4).filteredOn((step) -> step.startsWith("begin")).hasSize(1);
	}

	@Test
	void contentionIsObserved() {
		try (LockHandle held = this.template.acquire(REQUEST)) {
			assertThat(OtherThread.call(() -> this.template.tryAcquire(REQUEST.withWaitTime(Duration.ZERO)))).isEmpty();
			assertThat(this.steps).contains("CONTENDED on other");
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void lockThatIsPassedOnIsObserved() throws Exception {
		try (DefaultLockTemplate passing = DefaultLockTemplate.builder()
			.provider(new ScriptedProvider())
			.handOverWindow(Duration.ofHours(1))
			.observer(this::observe)
			.build()) {
			LockHandle first = passing.acquire(REQUEST);
			CompletableFuture<LockHandle> second = OtherThread.call(() -> passing.acquireAsync(REQUEST));
			first.close();
			second.get().close();
		}
		assertThat(this.steps).anyMatch((step) -> step.startsWith("passed on on lock-callback"));
	}

	/**
	 * One that traces may need long for its first call.
	 */
	@Test
	void waitTimeBeginsAfterTheObservers() {
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider contended = new ScriptedProvider(runtime::nanoTime);
		contended.attempts.add(ScriptedProvider.contended());
		DefaultLockTemplate byHand = DefaultLockTemplate.builder()
			.provider(contended)
			.runtime((executor) -> runtime)
			.observer((call) -> {
				runtime.moveTo(runtime.nanoTime() + TimeUnit.SECONDS.toNanos(1));
				return observe(call);
			})
			.build();
		byHand.acquireAsync(REQUEST.withWaitTime(Duration.ofMillis(50)));
		assertThat(byHand.activity().waiting()).hasSize(1);
	}

	@Test
	void outageIsObserved() {
		ScriptedProvider provider = new ScriptedProvider();
		provider.attempts.add(ScriptedProvider.refused());
		try (DefaultLockTemplate failing = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.observer(this::observe)
			.build()) {
			assertThatThrownBy(() -> failing.acquire("k")).isInstanceOf(LockUnavailableException.class);
		}
		assertThat(this.steps).hasSize(2).last().asString().startsWith("unavailable: credentials refused");
	}

	@Test
	void futureBeginsOnTheThreadOfItsCaller() {
		OtherThread.call(() -> this.template.acquireAsync(REQUEST)).thenAccept(LockHandle::close).join();
		assertThat(this.steps).hasSize(3);
		assertThat(this.steps.poll()).isEqualTo("begin k on other");
		assertThat(this.steps.poll()).startsWith("acquired on lock-callback");
	}

	@Test
	void cancelledFutureEndsItsObservation() {
		try (LockHandle first = this.template.acquire(REQUEST)) {
			CompletableFuture<LockHandle> second = OtherThread.call(() -> this.template.acquireAsync(REQUEST));
			second.cancel(false);
			await().until(() -> this.steps.stream().anyMatch((step) -> step.startsWith("INTERRUPTED")));
			assertThat(first.isValid()).isTrue();
		}
	}

	@Test
	void lossComesBeforeLateRelease() {
		try (LockHandle handle = this.template.acquire(REQUEST.withLeaseTime(Duration.ofMillis(30)))) {
			await().until(() -> this.steps.stream().anyMatch((step) -> step.startsWith("lost")));
			assertThat(handle.isValid()).isFalse();
		}
		assertThat(this.steps).hasSize(4).last().asString().startsWith("released");
	}

	@Test
	void lossThatComesFirstIsToldAfterTheAcquisition() {
		LockAttempt attempt = new LockAttempt("", new KeyId("p", 0, "k"), new ScriptedProvider(), LockType.EXCLUSIVE, 1,
				Duration.ZERO, false, Duration.ofSeconds(30), true, Duration.ZERO, Integer.MAX_VALUE, Duration.ZERO,
				true);
		HeldByHand held = new HeldByHand();
		ObservedCall call = ObservedCall.begin(attempt, List.of(this::observe), held.runtime);
		held.template.keeper.lose(held.lock, "the session ended");
		call.lost();
		call.released();
		call.acquired(held.lock.fencingToken(), false, held.lock::loss);
		call.released();
		call.released();
		assertThat(this.steps.stream().map((step) -> step.split(" ", 2)[0])).containsExactly("begin", "acquired",
				"lost", "released");
	}

	@Test
	void observerThatBlocksDelaysNoLossOfItsLock() throws Exception {
		ScriptedProvider provider = new ScriptedProvider();
		CountDownLatch acquired = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.template.close();
		this.template = DefaultLockTemplate.builder().provider(provider).observer((call) -> new LockObservation() {
			@Override
			public void acquired(OptionalLong fencingToken, boolean passedOn) {
				acquired.countDown();
				await().until(() -> goOn.getCount() == 0);
			}
		}).observer(this::observe).build();
		CompletableFuture<LockHandle> handle = this.template.acquireAsync(REQUEST);
		try {
			assertThat(acquired.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<Void> loss = CompletableFuture
				.runAsync(() -> provider.lossSignal.lost("the session ended"), (task) -> new Thread(task).start());
			assertThat(loss).succeedsWithin(Patience.LIMIT);
		}
		finally {
			goOn.countDown();
		}
		handle.join().close();
		assertThat(this.steps.stream().map((step) -> step.split(" ", 2)[0])).containsExactly("begin", "acquired",
				"lost", "released");
	}

	@Test
	void lossOfALeaseThatNobodyGotIsNotToldOfTheNextOne() {
		ScriptedProvider provider = new ScriptedProvider();
		Lease lease = provider.lease(Duration.ofMinutes(1));
		provider.attempts.add(CompletableFuture.completedFuture(new LostAtOnce(lease)));
		try (DefaultLockTemplate retrying = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.observer(this::observe)
			.build()) {
			LockHandle handle = retrying.acquire(REQUEST.withWaitTime(Patience.LIMIT));
			assertThat(handle.isValid()).isTrue();
			handle.close();
		}
		assertThat(provider.attempted).hasValue(2);
		assertThat(this.steps.stream().map((step) -> step.split(" ", 2)[0])).containsExactly("begin", "acquired",
				"released");
	}

	@Test
	void observerThatFailsHarmsNoCall() {
		this.template.close();
		this.template = template((call) -> {
			throw new AssertionError("begin");
		}, (call) -> null, (call) -> new Failing(), this::observe);
		assertThat(this.template.execute(REQUEST, () -> "done")).isEqualTo("done");
		assertThat(this.steps).hasSize(3);
		assertThat(this.template.activity()).isEqualTo(new LockActivity(List.of(), List.of()));
	}

	@Test
	void activityShowsHoldersAndWaiters() {
		LockRequest named = REQUEST.withName("orders");
		try (LockHandle first = this.template.acquire(named); LockHandle again = this.template.acquire(named)) {
			CompletableFuture<LockHandle> second = OtherThread.call(() -> this.template.acquireAsync(named));
			await().until(() -> this.template.activity().waiting().size() == 1);
			LockActivity activity = this.template.activity();
			assertThat(activity.held()).singleElement().satisfies((held) -> {
				assertThat(held.name()).isEqualTo("orders");
				assertThat(held.key()).isEqualTo(first.key()).isEqualTo(again.key());
				assertThat(held.provider()).isEqualTo("local");
				assertThat(held.fencingToken()).isEqualTo(first.fencingToken());
				assertThat(held.remaining()).isPositive().isLessThan(Duration.ofMinutes(1));
				assertThat(held.heldFor()).isPositive();
				assertThat(held.autoRenewed()).isFalse();
				assertThat(held.holders()).isEqualTo(2);
				assertThat(held.waiters()).isEqualTo(1);
				assertThat(held.thread()).contains(Thread.currentThread().getName());
			});
			assertThat(activity.waiting()).singleElement().satisfies((waiting) -> {
				assertThat(waiting.key()).isEqualTo(first.key());
				assertThat(waiting.waitedFor()).isPositive();
				assertThat(waiting.thread()).isEmpty();
			});
			second.cancel(false);
		}
		assertThat(this.template.activity().held()).isEmpty();
	}

	private record LostAtOnce(Lease lease) implements Lease {

		@Override
		public OptionalLong fencingToken() {
			return this.lease.fencingToken();
		}

		@Override
		public LeaseTerm term() {
			return this.lease.term();
		}

		@Override
		public CompletionStage<LeaseTerm> renew(Duration leaseTime) {
			return this.lease.renew(leaseTime);
		}

		@Override
		public CompletionStage<Boolean> release() {
			return this.lease.release();
		}

		@Override
		public void onLost(LossSignal signal) {
			signal.lost("the session ended");
		}

	}

	private static final class Failing implements LockObservation {

		@Override
		public void acquired(OptionalLong fencingToken, boolean passedOn) {
			throw new StackOverflowError("acquired");
		}

		@Override
		public void released() {
			throw new IllegalStateException("released");
		}

	}

	private final class Recorder implements LockObservation {

		private Recorder(LockInfo call) {
			add("begin " + call.key());
		}

		@Override
		public void acquired(OptionalLong fencingToken, boolean passedOn) {
			add(passedOn ? "passed on" : "acquired");
		}

		@Override
		public void notAcquired(LockNotAcquiredException.Reason reason) {
			add(reason.name());
		}

		@Override
		public void unavailable(Throwable failure) {
			add("unavailable: " + failure.getMessage());
		}

		@Override
		public void lost(LockLostException loss) {
			add("lost");
		}

		@Override
		public void released() {
			add("released");
		}

		private void add(String step) {
			LockObserverTests.this.steps.add(step + " on " + Thread.currentThread().getName());
		}

	}

}
