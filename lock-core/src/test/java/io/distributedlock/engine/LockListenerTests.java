package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockType;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.internal.event.Listeners;
import io.distributedlock.local.LocalLockProvider;
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
			.renewalLeaseTime(Duration.ofSeconds(2))
			.commandTimeout(Duration.ofSeconds(2));
		List.of(listeners).forEach(builder::listener);
		return builder.build();
	}

	@AfterEach
	void close() {
		this.template.close();
	}

	@Test
	void acquisitionRenewalAndReleaseAreTold() {
		try (LockHandle handle = this.template.acquire(local())) {
			awaitEvent("renewed");
			assertThat(handle.isValid()).isTrue();
		}
		awaitEvent("released");
		assertThat(this.events.stream().distinct()).containsExactlyInAnyOrder("acquired", "renewed", "released");
	}

	@Test
	void reentryIsNoEvent() {
		try (LockHandle outer = this.template.acquire(local().withLeaseTime(Duration.ofMinutes(1)));
				LockHandle inner = this.template.acquire(local())) {
			assertThat(inner.key()).isEqualTo(outer.key());
		}
		awaitEvent("released");
		assertThat(this.events).containsExactlyInAnyOrder("acquired", "released");
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
		awaitEvent("released");
		assertThat(this.events).containsExactlyInAnyOrder("acquired", "waiting", "CONTENDED", "released");
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
		try (LockHandle handle = this.template.acquire(local().withLeaseTime(Duration.ofMillis(50)))) {
			awaitEvent("lost");
			assertThat(handle.isValid()).isFalse();
		}
		awaitEvent("released late");
		assertThat(this.events).containsExactlyInAnyOrder("acquired", "lost", "released late");
	}

	@Test
	void eventNamesTheLock() {
		Queue<LockEvent> acquired = new ConcurrentLinkedQueue<>();
		LockListener listener = new LockListener() {
			@Override
			public void acquired(LockEvent event, Duration waited) {
				acquired.add(event);
			}
		};
		this.template.close();
		this.template = template(listener);
		long before = System.nanoTime();
		this.template.execute(local().withName("orders").withType(LockType.FAIR), () -> {
		});
		await().until(() -> !acquired.isEmpty());
		LockEvent event = acquired.element();
		assertThat(event).isEqualTo(new LockEvent("orders", "orders:k", "local", LockType.FAIR, event.atNanos()));
		assertThat(event.atNanos() - before).isBetween(0L, System.nanoTime() - before);
	}

	@Test
	void listenerThatThrowsHarmsNeitherTheCallNorOtherListeners() {
		this.template.close();
		this.template = template(new Thrower(), new Recorder());
		this.template.execute(local(), () -> {
		});
		awaitEvent("released");
		assertThat(this.events).contains("acquired");
	}

	@Test
	void slowListenerLosesEventsButNoLoss() {
		CountDownLatch blocked = new CountDownLatch(1);
		Queue<String> told = new ConcurrentLinkedQueue<>();
		this.template.close();
		this.template = template(new Blocker(blocked, told));
		try {
			LockRequest longEnough = local().withLeaseTime(Duration.ofMinutes(1));
			for (int i = 0; i < Listeners.MOST_CALLS; i++) {
				this.template.execute(longEnough, () -> {
				});
			}
			LockHandle handle = this.template.acquire(local().withLeaseTime(Duration.ofMillis(20)));
			// it is not valid before that, on a busy machine, and then it is not lost but
			// released
			await().until(() -> this.template.engine().keeper().size() == 0);
			handle.close();
		}
		finally {
			blocked.countDown();
		}
		await().until(() -> told.contains("lost"));
		await().until(() -> told.size() == Listeners.MOST_CALLS + 1);
	}

	private static LockRequest local() {
		return LockRequest.of("k").withProvider("local");
	}

	private void awaitEvent(String event) {
		await().until(() -> this.events.contains(event));
	}

	private final class Recorder implements LockListener {

		@Override
		public void waiting(LockEvent event) {
			add("waiting");
		}

		@Override
		public void acquired(LockEvent event, Duration waited) {
			add("acquired");
		}

		@Override
		public void notAcquired(LockEvent event, Duration waited, Reason reason) {
			add(reason.name());
		}

		@Override
		public void unavailable(LockEvent event, Duration waited, Throwable failure) {
			add("unavailable: " + failure.getMessage());
		}

		@Override
		public void renewed(LockEvent event, Duration took) {
			add("renewed");
		}

		@Override
		public void renewalFailed(LockEvent event, Duration left, Throwable failure) {
			add("renewalFailed");
		}

		@Override
		public void released(LockEvent event, Duration held) {
			add("released");
		}

		@Override
		public void releaseFailed(LockEvent event, Duration held, Throwable failure) {
			add("releaseFailed");
		}

		@Override
		public void releasedLate(LockEvent event, Duration held) {
			LockListenerTests.this.events.add("released late");
		}

		@Override
		public void lost(LockEvent event, Duration held, LockLostException loss) {
			add("lost");
		}

		private void add(String event) {
			LockListenerTests.this.events.add(event);
		}

	}

	private static final class Thrower implements LockListener {

		@Override
		public void acquired(LockEvent event, Duration waited) {
			throw new AssertionError("a listener that is broken");
		}

		@Override
		public void released(LockEvent event, Duration held) {
			throw new IllegalStateException("a listener that is broken");
		}

	}

	/**
	 * Blocks in each call until it is let go.
	 */
	private record Blocker(CountDownLatch blocked, Queue<String> told) implements LockListener {

		@Override
		public void acquired(LockEvent event, Duration waited) {
			block("acquired");
		}

		@Override
		public void released(LockEvent event, Duration held) {
			block("released");
		}

		@Override
		public void lost(LockEvent event, Duration held, LockLostException loss) {
			block("lost");
		}

		private void block(String event) {
			try {
				this.blocked.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.told.add(event);
		}

	}

}
