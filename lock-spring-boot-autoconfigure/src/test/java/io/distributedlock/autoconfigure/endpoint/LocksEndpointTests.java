package io.distributedlock.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LocalLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockInfo;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint shows of the locks of a running application.
 */
class LocksEndpointTests {

	private final ApplicationContextRunner hidden = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
						EndpointAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withPropertyValues("lock.provider=local", "lock.key-prefix=shop");

	private final ApplicationContextRunner runner = this.hidden.withPropertyValues(
			"management.endpoints.jmx.exposure.include=locks", "management.endpoints.web.exposure.include=locks");

	private static final LockRequest ORDER = LockRequest.of("42").withName("order");

	@Test
	void itIsNotThereUnlessItIsExposed() {
		this.hidden.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void heldLocksAndWaitingCalls() {
		this.runner.withPropertyValues("management.endpoint.locks.show-keys=always").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			Instant before = Instant.now().minusSeconds(1);
			LockHandle handle = template.acquire(ORDER);
			LockHandle again = template.acquire(ORDER);
			LockRequest patient = ORDER.withWaitTime(Patience.LIMIT);
			CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> template.acquire(patient),
					(task) -> new Thread(task, "waits").start());
			Patience.await().until(() -> !endpoint.locks().waiting().isEmpty());
			LocksEndpoint.LocksDescriptor locks = endpoint.locks();
			assertThat(locks.held()).singleElement().satisfies((held) -> {
				assertThat(held.name()).isEqualTo("order");
				assertThat(held.key()).isEqualTo("shop:order:42");
				assertThat(held.provider()).isEqualTo("local");
				assertThat(held.type()).isEqualTo("exclusive");
				assertThat(held.fencingToken()).isEqualTo(handle.fencingToken().getAsLong());
				assertThat(Instant.parse(held.since())).isBetween(before, Instant.now());
				assertThat(held.remainingMs()).isPositive();
				assertThat(held.autoRenewed()).isTrue();
				assertThat(held.holders()).isEqualTo(2);
				assertThat(held.waiters()).isEqualTo(1);
				assertThat(held.thread()).isEqualTo(Thread.currentThread().getName());
			});
			assertThat(locks.waiting()).singleElement().satisfies((call) -> {
				assertThat(call.name()).isEqualTo("order");
				assertThat(call.key()).isEqualTo("shop:order:42");
				assertThat(call.waitedForMs()).isNotNegative();
				assertThat(call.thread()).isEqualTo("waits");
			});
			assertThat(locks.providers()).singleElement().satisfies((provider) -> {
				assertThat(provider.name()).isEqualTo("local");
				assertThat(provider.capabilities()).contains("fencing", "lock-delay");
			});
			again.close();
			handle.close();
			waiting.join().close();
			assertThat(endpoint.locks().held()).isEmpty();
			assertThat(endpoint.locks().waiting()).isEmpty();
		});
	}

	/**
	 * A bean method may return the interface.
	 */
	@Test
	void locksOfATemplateOfTheApplication() {
		this.runner
			.withBean(LockTemplate.class, () -> DefaultLockTemplate.builder().provider(new LocalLockProvider()).build())
			.run((context) -> {
				try (LockHandle handle = context.getBean(LockTemplate.class).acquire(ORDER)) {
					handle.ensureHeld();
					assertThat(context.getBean(LocksEndpoint.class).locks().held()).hasSize(1);
				}
			});
	}

	@Test
	void recentLosses() {
		this.runner.run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThat(endpoint.locks().lost()).isEmpty();
			try (LockHandle handle = context.getBean(LockTemplate.class)
				.acquire(ORDER.withLeaseTime(Duration.ofMillis(50)))) {
				Patience.await().until(() -> !handle.isValid());
			}
			Patience.await()
				.untilAsserted(() -> assertThat(endpoint.locks().lost()).singleElement().satisfies((lost) -> {
					assertThat(lost.name()).isEqualTo("order");
					assertThat(Instant.parse(lost.at())).isBetween(Instant.now().minusSeconds(60), Instant.now());
					// its lease began before it was held
					assertThat(lost.heldForMs()).isBetween(1L, 60_000L);
				}));
		});
	}

	@Test
	void onlyTheLastLossesAreKept() {
		RecentLosses losses = new RecentLosses();
		for (int i = 0; i < RecentLosses.MOST + 5; i++) {
			losses.on(new LockEvent.Lost(new LockInfo("n" + i, "k", "local", LockType.EXCLUSIVE), System.nanoTime(),
					Duration.ZERO, new LockLostException("k", "local", "lost", null)));
		}
		assertThat(losses.latestFirst()).hasSize(RecentLosses.MOST)
			.first()
			.satisfies((loss) -> assertThat(loss.lock().name()).isEqualTo("n" + (RecentLosses.MOST + 4)));
	}

	@Test
	void keysAreHashedByDefaultAndCanBeHidden() {
		this.runner.run((context) -> {
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(ORDER)) {
				handle.ensureHeld();
				// printf %s shop:order:42 | sha256sum | cut -c 1-16
				assertThat(context.getBean(LocksEndpoint.class).locks().held().get(0).key())
					.isEqualTo("sha256:23897f4f5dca59d6");
			}
		});
		this.runner.withPropertyValues("management.endpoint.locks.show-keys=never").run((context) -> {
			try (LockHandle handle = context.getBean(LockTemplate.class).acquire(ORDER)) {
				handle.ensureHeld();
				assertThat(context.getBean(LocksEndpoint.class).locks().held().get(0).key()).isNull();
			}
		});
	}

	@Test
	void anApplicationWithoutTheActuatorStarts() {
		new ApplicationContextRunner().withUserConfiguration(Imports.class)
			.withPropertyValues("lock.provider=local")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class));
	}

	/**
	 * By name, as an application imports them, and not by class.
	 */
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LocalLockAutoConfiguration.class,
			LocksEndpointAutoConfiguration.class })
	static class Imports {

	}

}
