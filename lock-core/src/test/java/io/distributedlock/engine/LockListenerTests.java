package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
import io.distributedlock.event.LockListener;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;

class LockListenerTests {

	private final Queue<String> events = new ConcurrentLinkedQueue<>();

	private final ScriptedProvider provider = new ScriptedProvider();

	private DefaultLockTemplate template = template(new Recorder());

	private DefaultLockTemplate template(LockListener... listeners) {
		LockTemplateBuilder builder = DefaultLockTemplate.builder()
			.provider(this.provider)
			.provider(new LocalLockProvider())
			.commandTimeout(Patience.LIMIT);
		List.of(listeners).forEach(builder::listener);
		return builder.build();
	}

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void acquisitionRenewalAndReleaseAreTold() {
		// a third of it is over, so that it is renewed at once
		LeaseTerm begun = new LeaseTerm(System.nanoTime() - Duration.ofMinutes(1).toNanos(), Duration.ofMinutes(3));
		this.provider.attempts.add(CompletableFuture.completedFuture(this.provider.lease(begun)));
		LockRequest request = LockRequest.of("k").withLeaseTime(begun.granted()).withAutoRenew(true);
		try (LockHandle handle = this.template.acquire(request)) {
			awaitEvent("Renewed");
			assertThat(handle.isValid()).isTrue();
		}
		awaitEvent("Released");
		assertThat(this.events.stream().distinct()).containsExactlyInAnyOrder("Acquired", "Renewed", "Released");
	}

	@Test
	void reentryIsNoEvent() {
		try (LockHandle outer = this.template.acquire(local().withLeaseTime(Duration.ofMinutes(1)));
				LockHandle inner = this.template.acquire(local())) {
			assertThat(inner.key()).isEqualTo(outer.key());
		}
		awaitEvent("Released");
		assertThat(this.events).containsExactlyInAnyOrder("Acquired", "Released");
	}

	@Test
	void contentionIsTold() {
		LockRequest request = local().withLeaseTime(Duration.ofMinutes(1));
		try (LockHandle held = this.template.acquire(request)) {
			assertThat(OtherThread.call(() -> this.template.tryAcquire(request.withWaitTime(Duration.ofMillis(50)))))
				.isEmpty();
			awaitEvent("CONTENDED");
			assertThat(held.isValid()).isTrue();
		}
		awaitEvent("Released");
		assertThat(this.events).containsExactlyInAnyOrder("Acquired", "Waiting", "CONTENDED", "Released");
	}

	@Test
	void callOfAnInterruptedThreadDoesNotWait() {
		try (LockHandle held = this.template.acquire(local().withLeaseTime(Duration.ofMinutes(1)))) {
			OtherThread.call(() -> {
				Thread.currentThread().interrupt();
				assertThatThrownBy(() -> this.template.acquire(local())).isInstanceOf(LockNotAcquiredException.class);
				return Thread.interrupted();
			});
			assertThat(held.isValid()).isTrue();
		}
		awaitEvent("Released");
		assertThat(this.events).containsExactlyInAnyOrder("Acquired", "INTERRUPTED", "Released");
	}

	@Test
	void eventComesBeforeThoseOfWhatItsCallerDoesNext() {
		this.template.close();
		// what the caller does next runs inside of the step that answers
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider scripted = new ScriptedProvider(runtime::nanoTime);
		this.template = DefaultLockTemplate.builder()
			.provider(scripted)
			.runtime((executor) -> runtime)
			.listener(new Recorder())
			.build();
		CompletableFuture<Lease> answer = new CompletableFuture<>();
		scripted.attempts.add(answer);
		CompletableFuture<LockHandle> next = this.template.acquireAsync(LockRequest.of("k"))
			.thenCompose(LockHandle::closeAsync)
			.thenCompose((released) -> this.template.acquireAsync(LockRequest.of("k")));
		answer.complete(scripted.lease(Duration.ofMinutes(1)));
		assertThat(this.events).containsExactly("Acquired", "Released", "Acquired");
		assertThat(next).succeedsWithin(Patience.LIMIT).satisfies(LockHandle::close);
	}

	@Test
	void lossComesBeforeWhatItsHolderDoesThen() {
		this.template.close();
		ScheduledByHand runtime = new ScheduledByHand();
		ScriptedProvider scripted = new ScriptedProvider(runtime::nanoTime);
		List<LockEvent> told = new ArrayList<>();
		this.template = DefaultLockTemplate.builder()
			.provider(scripted)
			.runtime((executor) -> runtime)
			.listener(told::add)
			.build();
		LockHandle handle = this.template.acquireAsync(LockRequest.of("k")).join();
		handle.onLost((loss) -> {
			runtime.moveTo(1);
			handle.close();
		});
		scripted.lossSignal.lost("the session ended");
		assertThat(told).filteredOn(LockEvent.Lost.class::isInstance)
			.singleElement()
			.extracting(LockEvent::atNanos)
			.isEqualTo(0L);
		assertThat(told).filteredOn(LockEvent.ReleasedLate.class::isInstance)
			.singleElement()
			.extracting(LockEvent::atNanos)
			.isEqualTo(1L);
	}

	@Test
	void outageIsTold() {
		this.provider.attempts.add(ScriptedProvider.refused());
		assertThatThrownBy(() -> this.template.acquire("k")).isInstanceOf(LockUnavailableException.class);
		awaitEvent("unavailable: credentials refused");
		assertThat(this.events).containsExactly("unavailable: credentials refused");
	}

	@Test
	void lossIsTold() {
		try (LockHandle handle = this.template.acquire("k")) {
			this.provider.lossSignal.lost("the session ended");
			awaitEvent("Lost");
			assertThat(handle.isValid()).isFalse();
		}
		awaitEvent("ReleasedLate");
		assertThat(this.events).containsExactlyInAnyOrder("Acquired", "Lost", "ReleasedLate");
	}

	@Test
	void eventNamesTheLock() {
		Queue<LockEvent.Acquired> acquired = new ConcurrentLinkedQueue<>();
		this.template.close();
		this.template = template(LockListener.of(LockEvent.Acquired.class, acquired::add));
		long before = System.nanoTime();
		this.template.execute(local().withName("orders").withType(LockType.FAIR), () -> {
		});
		await().until(() -> !acquired.isEmpty());
		LockEvent.Acquired event = acquired.element();
		assertThat(event.lock()).isEqualTo(new LockInfo("orders", "orders:k", "local", LockType.FAIR));
		assertThat(event.atNanos() - before).isBetween(0L, System.nanoTime() - before);
	}

	@Test
	void listenerThatThrowsHarmsNeitherTheCallNorOtherListeners() {
		this.template.close();
		this.template = template(LockListener.of(LockEvent.Acquired.class, (event) -> {
			throw new AssertionError("a listener that is broken");
		}), LockListener.of(LockEvent.Released.class, (event) -> {
			throw new IllegalStateException("a listener that is broken");
		}), new Recorder());
		this.template.execute(local(), () -> {
		});
		awaitEvent("Released");
		assertThat(this.events).contains("Acquired");
	}

	@Test
	void slowListenerLosesEventsButNoLoss() {
		CountDownLatch blocked = new CountDownLatch(1);
		Queue<LockEvent> told = new ConcurrentLinkedQueue<>();
		AtomicInteger begun = new AtomicInteger();
		this.template.close();
		this.template = template((event) -> {
			begun.incrementAndGet();
			block(blocked);
			told.add(event);
		});
		try {
			LockRequest longEnough = local().withLeaseTime(Duration.ofMinutes(1));
			for (int i = 0; i < Listeners.MOST_WAITING; i++) {
				this.template.execute(longEnough, () -> {
				});
			}
			assertThat(begun).as("calls at the same time").hasValueLessThanOrEqualTo(1);
			LockHandle handle = this.template.acquire("k");
			this.provider.lossSignal.lost("the session ended");
			handle.close();
			await().until(() -> begun.get() == 2);
		}
		finally {
			blocked.countDown();
		}
		await().until(() -> told.size() >= Listeners.MOST_WAITING + 1);
		assertThat(told).filteredOn(LockEvent.Lost.class::isInstance).hasSize(1);
		assertThat(told).hasSizeLessThanOrEqualTo(Listeners.MOST_WAITING + 2);
	}

	/**
	 * Its queue may be short, and other work of the application would be refused.
	 */
	@Test
	void busyExecutorIsGivenFewTasksForManyEvents() {
		ScheduledByHand runtime = onThreadsByHand();
		Queue<Runnable> given = new ConcurrentLinkedQueue<>();
		runtime.callBackOn(given::add);
		lockTimes(1000);
		assertThat(given.size()).as("tasks").isLessThan(20);
		for (Runnable task = given.poll(); task != null; task = given.poll()) {
			task.run();
		}
		assertThat(this.events).hasSize(2000);
	}

	@Test
	void listenerIsToldAgainThoughItsExecutorHasDroppedTasks() {
		ScheduledByHand runtime = onThreadsByHand();
		runtime.callBackOn((task) -> {
			// as one whose queue is full
		});
		lockTimes(Listeners.MOST_WAITING);
		runtime.callBackOn(Runnable::run);
		lockTimes(Listeners.MOST_WAITING);
		assertThat(this.events.size()).isGreaterThan(Listeners.MOST_WAITING);
	}

	private ScheduledByHand onThreadsByHand() {
		this.template.close();
		ScheduledByHand runtime = new ScheduledByHand();
		this.template = DefaultLockTemplate.builder()
			.provider(new LocalLockProvider(runtime::nanoTime))
			.runtime((executor) -> runtime)
			.listener(new Recorder())
			.build();
		return runtime;
	}

	private void lockTimes(int times) {
		for (int i = 0; i < times; i++) {
			this.template.execute(local(), () -> {
			});
		}
	}

	@Test
	void listenerWithoutKindsIsNamed() {
		for (Set<Class<? extends LockEvent>> kinds : Arrays.<Set<Class<? extends LockEvent>>>asList(null,
				Collections.singleton(null))) {
			LockListener forgetful = new LockListener() {

				@Override
				public void on(LockEvent event) {
				}

				@Override
				public Set<Class<? extends LockEvent>> kinds() {
					return kinds;
				}

				@Override
				public String toString() {
					return "forgetful";
				}

			};
			ScheduledByHand runtime = new ScheduledByHand();
			runtime.schedule(() -> this.events.add("its threads go on"), 0);
			assertThatThrownBy(() -> DefaultLockTemplate.builder()
				.provider(new LocalLockProvider())
				.listener(forgetful)
				.runtime((executor) -> runtime)
				.build()).isInstanceOf(IllegalStateException.class)
				.hasMessageContainingAll("Lock listener forgetful", "kinds()");
			runtime.runTimers();
			assertThat(this.events).isEmpty();
		}
	}

	private static LockRequest local() {
		return LockRequest.of("k").withProvider("local");
	}

	private void awaitEvent(String event) {
		await().until(() -> this.events.contains(event));
	}

	private final class Recorder implements LockListener {

		@Override
		public void on(LockEvent event) {
			LockListenerTests.this.events.add(text(event));
		}

		private static String text(LockEvent event) {
			if (event instanceof LockEvent.NotAcquired refused) {
				return refused.reason().name();
			}
			if (event instanceof LockEvent.Unavailable unavailable) {
				return "unavailable: " + unavailable.failure().getMessage();
			}
			return event.getClass().getSimpleName();
		}

	}

	private static void block(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
