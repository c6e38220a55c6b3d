package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockEvent;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;

@ExtendWith(OutputCaptureExtension.class)
class ApplicationEventsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class))
		.withPropertyValues("lock.provider=local")
		.withBean(Listener.class);

	@Test
	void contentionIsPublished() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest request = LockRequest.of("42").withName("order").withWaitTime(Duration.ZERO);
			template.execute(request, () -> CompletableFuture.runAsync(() -> template.tryAcquire(request)).join());
			Queue<Object> events = context.getBean(Listener.class).events;
			await().until(() -> events.size() == 1);
			assertThat(events.peek()).isInstanceOfSatisfying(LockEvent.NotAcquired.class, (event) -> {
				assertThat(event.lock().name()).isEqualTo("order");
				assertThat(event.reason()).isEqualTo(Reason.CONTENDED);
			});
		});
	}

	@Test
	void acquiredAndReleasedArePublishedOnlyIfWanted() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.of("quiet")).close();
			LockRequest request = LockRequest.of("42").withName("order").withWaitTime(Duration.ZERO);
			LockTemplate template = context.getBean(LockTemplate.class);
			template.execute(request, () -> CompletableFuture.runAsync(() -> template.tryAcquire(request)).join());
			Queue<Object> events = context.getBean(Listener.class).events;
			await().until(() -> !events.isEmpty());
			assertThat(events).hasOnlyElementsOfType(LockEvent.NotAcquired.class);
		});
		this.runner.withPropertyValues("lock.events=ALL").run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.of("42").withName("order")).close();
			Queue<Object> events = context.getBean(Listener.class).events;
			await().until(() -> events.size() == 2);
			assertThat(events).hasAtLeastOneElementOfType(LockEvent.Acquired.class)
				.hasAtLeastOneElementOfType(LockEvent.Released.class);
		});
	}

	@Test
	void shutdownIsNoContention() {
		this.runner.run((context) -> {
			DefaultLockTemplate template = context.getBean(DefaultLockTemplate.class);
			LockRequest request = LockRequest.of("k").withWaitTime(Duration.ZERO);
			template.drain().join();
			assertThatThrownBy(() -> template.acquire(request)).isInstanceOf(LockNotAcquiredException.class);
			template.resume();
			template.execute(request, () -> CompletableFuture.runAsync(() -> template.tryAcquire(request)).join());
			Queue<Object> events = context.getBean(Listener.class).events;
			await().until(() -> !events.isEmpty());
			assertThat(events).hasSize(1);
		});
	}

	@Test
	void lossAndLateReleaseArePublished() {
		this.runner.run((context) -> {
			Queue<Object> events = context.getBean(Listener.class).events;
			LockRequest request = LockRequest.of("k").withLeaseTime(Duration.ofMillis(50));
			CompletableFuture<LockLostException> lost = new CompletableFuture<>();
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(request)) {
				handle.onLost(lost::complete);
				// a lease may end before its caller has it, who gets another one then
				await().until(() -> lost.isDone() && !events.isEmpty());
				assertThat(handle.isValid()).isFalse();
			}
			await().until(() -> events.stream().anyMatch(LockEvent.ReleasedLate.class::isInstance));
			assertThat(events).first().isInstanceOf(LockEvent.Lost.class);
			assertThat(events).last()
				.isInstanceOfSatisfying(LockEvent.ReleasedLate.class,
						(event) -> assertThat(event.held()).isGreaterThan(Duration.ofMillis(40)));
		});
	}

	@Test
	void outageIsPublishedAndItsEndAndEachIsOneLineOfTheLog(CapturedOutput output) {
		AtomicBoolean down = new AtomicBoolean(true);
		this.runner.withBean("broken", LockProvider.class, () -> new BreakableProvider(down::get))
			// the second question, a second later, is the first one after this time-out
			.withPropertyValues("lock.provider=broken", "lock.command-timeout=1s", "lock.wait-time=1h")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire("k"));
				Queue<Object> events = context.getBean(Listener.class).events;
				await().until(() -> events.size() == 1);
				assertThat(events.poll()).isInstanceOfSatisfying(LockEvent.OutageBegan.class, (event) -> {
					assertThat(event.provider()).isEqualTo("broken");
					assertThat(event.failure()).hasMessage("unreachable");
				});
				down.set(false);
				await().until(() -> events.size() == 1);
				assertThat(events.poll()).isInstanceOfSatisfying(LockEvent.OutageEnded.class,
						(event) -> assertThat(event.lasted()).isPositive());
				template.acquire("k").close();
			});
		assertThat(output.toString().lines().filter((line) -> line.contains("Lock provider broken"))).satisfiesExactly(
				(line) -> assertThat(line).contains("WARN", "is down", "failures of calls", "unreachable"),
				(line) -> assertThat(line).contains("INFO", "answers again after", "calls were refused"));
	}

	/**
	 * Grants locks in memory while it is not down.
	 *
	 * @param down whether it is
	 * @param memory grants the locks
	 */
	private record BreakableProvider(BooleanSupplier down, LocalLockProvider memory) implements LockProvider {

		BreakableProvider(BooleanSupplier down) {
			this(down, new LocalLockProvider());
		}

		@Override
		public String name() {
			return "broken";
		}

		@Override
		public CompletionStage<Lease> tryAcquire(LeaseRequest request) {
			return this.down.getAsBoolean() ? unreachable() : this.memory.tryAcquire(request);
		}

		@Override
		public CompletionStage<?> ping() {
			return this.down.getAsBoolean() ? unreachable() : this.memory.ping();
		}

		private static <T> CompletionStage<T> unreachable() {
			return CompletableFuture.failedFuture(new BackendException("unreachable", true, null));
		}

	}

	static class Listener {

		private final Queue<Object> events = new ConcurrentLinkedQueue<>();

		@EventListener
		void on(LockEvent event) {
			this.events.add(event);
		}

	}

}
