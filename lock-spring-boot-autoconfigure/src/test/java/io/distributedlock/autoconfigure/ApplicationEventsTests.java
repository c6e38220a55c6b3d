package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockNotAcquiredException.Reason;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.spring.LockAcquiredEvent;
import io.distributedlock.spring.LockContendedEvent;
import io.distributedlock.spring.LockLateReleaseEvent;
import io.distributedlock.spring.LockLostEvent;
import io.distributedlock.spring.LockReleasedEvent;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static io.distributedlock.test.patience.Patience.await;

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
			assertThat(events.peek()).isInstanceOfSatisfying(LockContendedEvent.class, (event) -> {
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
			assertThat(events).hasOnlyElementsOfType(LockContendedEvent.class);
		});
		this.runner.withPropertyValues("lock.events=ALL").run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.of("42").withName("order")).close();
			Queue<Object> events = context.getBean(Listener.class).events;
			await().until(() -> events.size() == 2);
			assertThat(events).hasAtLeastOneElementOfType(LockAcquiredEvent.class)
				.hasAtLeastOneElementOfType(LockReleasedEvent.class);
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
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(request)) {
				await().until(() -> events.size() == 1);
				assertThat(handle.isValid()).isFalse();
			}
			await().until(() -> events.size() == 2);
			assertThat(events.poll()).isInstanceOf(LockLostEvent.class);
			assertThat(events.poll()).isInstanceOfSatisfying(LockLateReleaseEvent.class,
					(event) -> assertThat(event.held()).isGreaterThan(Duration.ofMillis(40)));
		});
	}

	static class Listener {

		private final Queue<Object> events = new ConcurrentLinkedQueue<>();

		@EventListener({ LockContendedEvent.class, LockLostEvent.class, LockLateReleaseEvent.class,
				LockAcquiredEvent.class, LockReleasedEvent.class })
		void on(Object event) {
			this.events.add(event);
		}

	}

}
