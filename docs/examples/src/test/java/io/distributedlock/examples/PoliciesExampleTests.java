package io.distributedlock.examples;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spring.LockContentionHandler;
import io.distributedlock.spring.LockLostEvent;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PoliciesExampleTests extends OnEveryProvider {

	@Test
	void whatIsDoneWhenOthersHoldTheLock() {
		ConfigurableApplicationContext other = node();
		Prices prices = node(Prices.class, BusyAnswer.class).getBean(Prices.class);
		try (LockHandle held = locks(other).acquire(LockRequest.of("eur").withName("prices"))) {
			assertThat(prices.refresh("eur")).isEmpty();
			assertThat(prices.current("eur")).isEqualTo("cached eur");
			assertThat(prices.explained("eur")).startsWith("cached, since Lock");
			assertThat(prices.handled("eur")).isEqualTo("busy: handled");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.crowded("eur"));
			assertThat(held.isValid()).isTrue();
		}
		assertThat(prices.refresh("eur")).contains("fresh eur");
	}

	@Test
	void defaultOfTheApplicationIsInItsConfiguration() {
		ConfigurableApplicationContext other = node();
		Prices prices = node(List.of("lock.on-contention=skip", "lock.wait-time=0"), Prices.class, BusyAnswer.class)
			.getBean(Prices.class);
		try (LockHandle held = locks(other).acquire(LockRequest.of("usd").withName("prices"))) {
			assertThat(prices.byDefault("usd")).isNull();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void lossEndsTheWork() {
		ConfigurableApplicationContext node = node(Exports.class, Losses.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> node.getBean(Exports.class).export(new CountDownLatch(1)));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		Awaitility.await().untilAsserted(() -> assertThat(node.getBean(Losses.class).last()).contains("export"));
	}

	@Test
	void holderIsWarnedInTimeAndAsksForMore() {
		ConfigurableApplicationContext node = node();
		CompletableFuture<Duration> warned = new CompletableFuture<>();
		try (LockHandle lock = locks(node).acquire(LockRequest.of("import").withLeaseTime(Duration.ofSeconds(2)))) {
			lock.onExpiring(Duration.ofSeconds(1), () -> warned.complete(lock.remaining()));
			assertThat(warned).succeedsWithin(Duration.ofSeconds(10));
			lock.ensureAtLeast(Duration.ofSeconds(30));
			assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(29));
		}
	}

	static class Prices {

		@DistributedLock(name = "prices", key = "#currency", waitTime = "0", onContention = OnContention.SKIP)
		public Optional<String> refresh(String currency) {
			return Optional.of("fresh " + currency);
		}

		@DistributedLock(name = "prices", key = "#currency", waitTime = "200ms", fallback = "cached")
		public String current(String currency) {
			return "fresh " + currency;
		}

		String cached(String currency) {
			return "cached " + currency;
		}

		@DistributedLock(name = "prices", key = "#currency", waitTime = "0", fallback = "cachedBecause")
		public String explained(String currency) {
			return "fresh " + currency;
		}

		String cachedBecause(String currency, LockNotAcquiredException contention) {
			return "cached, since " + contention.getMessage();
		}

		@DistributedLock(name = "prices", key = "#currency", waitTime = "0", handler = "busyAnswer")
		public String handled(String currency) {
			return "fresh " + currency;
		}

		@DistributedLock(name = "prices", key = "#currency", waitTime = "30s", maxWaiters = 0)
		public String crowded(String currency) {
			return "fresh " + currency;
		}

		@DistributedLock(name = "prices", key = "#currency")
		public String byDefault(String currency) {
			return "fresh " + currency;
		}

	}

	static class BusyAnswer {

		@Bean
		LockContentionHandler busyAnswer() {
			return (MethodInvocation call, LockNotAcquiredException contention) -> "busy: "
					+ call.getMethod().getName();
		}

	}

	static class Exports {

		@DistributedLock(name = "export", leaseTime = "1s", onLost = OnLost.INTERRUPT)
		public void export(CountDownLatch forever) throws InterruptedException {
			assertThat(LockContext.current().remaining()).isPositive();
			forever.await(30, TimeUnit.SECONDS);
		}

	}

	static class Losses {

		private final AtomicReference<String> last = new AtomicReference<>("");

		@EventListener
		void onLost(LockLostEvent event) {
			this.last.set(event.getLoss().getKey());
		}

		String last() {
			return this.last.get();
		}

	}

}
