package io.distributedlock.examples;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PoliciesExampleTests extends OnEveryProvider {

	private static final LockRequest USD = LockRequest.of("usd").withName("prices");

	@Test
	void whatIsDoneWhenOthersHoldTheLock() {
		ConfigurableApplicationContext other = node();
		Prices prices = node(Prices.class, ContentionHandlers.class, FixedRate.class).getBean(Prices.class);
		assertThat(prices.refresh("usd")).contains(BigDecimal.TEN);
		try (LockHandle held = locks(other).acquire(USD)) {
			assertThat(prices.refresh("usd")).isEmpty();
			assertThat(prices.current("usd")).isEqualTo(BigDecimal.TEN);
			assertThat(prices.page("usd")).isEqualTo("busy: page");
			assertThat(held.isValid()).isTrue();
		}
		assertThat(prices.page("usd")).isEqualTo("1 EUR = 10 usd");
	}

	@Test
	void furtherCallEndsImmediatelyWhenTooManyWait() {
		ConfigurableApplicationContext other = node();
		Queries queries = node(Queries.class).getBean(Queries.class);
		try (LockHandle held = locks(other).acquire(USD)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> queries.crowded("usd"));
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void defaultOfTheApplicationIsInItsConfiguration() {
		ConfigurableApplicationContext other = node();
		Queries queries = node(List.of("lock.on-contention=skip", "lock.wait-time=0"), Queries.class)
			.getBean(Queries.class);
		try (LockHandle held = locks(other).acquire(USD)) {
			assertThat(queries.byDefault("usd")).isNull();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void lossEndsTheWork() {
		ConfigurableApplicationContext node = node(List.of("export.lease-time=1s"), Exports.class, EndlessArchive.class,
				LostLockAlerts.class, LastAlert.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> node.getBean(Exports.class).export());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		Patience.await()
			.untilAsserted(
					() -> assertThat(node.getBean(LastAlert.class).text()).contains("Lock lost").contains("export"));
	}

	@Test
	void holderIsWarnedInTimeAndAsksForMore() {
		ConfigurableApplicationContext node = node(List.of("stock-import.lease-time=2s"), StockImport.class,
				SlowSteps.class);
		// the warning leaves a second, which a thread that is stopped may miss
		Patience.await()
			.ignoreExceptionsInstanceOf(LockLostException.class)
			.untilAsserted(() -> node.getBean(StockImport.class).run());
		assertThat(node.getBean(SlowSteps.class).left()).isGreaterThan(Duration.ofSeconds(20));
	}

	static class FixedRate implements Prices.Exchange {

		@Override
		public BigDecimal rate(String currency) {
			return BigDecimal.TEN;
		}

	}

	static class Queries {

		@DistributedLock(name = "prices", key = "#currency", waitTime = "30s", maxWaiters = 0)
		public String crowded(String currency) {
			return currency;
		}

		@DistributedLock(name = "prices", key = "#currency")
		public String byDefault(String currency) {
			return currency;
		}

	}

	static class EndlessArchive implements Exports.Archive {

		@Override
		public void writeAll() throws InterruptedException {
			assertThat(LockContext.find()).isPresent();
			new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
		}

	}

	static class LastAlert implements LostLockAlerts.Alerts {

		private volatile String text = "";

		@Override
		public void send(String text) {
			this.text = text;
		}

		String text() {
			return this.text;
		}

	}

	static class SlowSteps implements StockImport.Steps {

		private final AtomicInteger warnings = new AtomicInteger();

		private volatile Duration left = Duration.ZERO;

		@Override
		public void stage() {
			int before = this.warnings.get();
			LockHandle lock = LockContext.current();
			Patience.await().until(() -> this.warnings.get() > before || !lock.isValid());
		}

		@Override
		public void saveProgress() {
			this.warnings.incrementAndGet();
		}

		@Override
		public void commit() {
			this.left = LockContext.current().remaining();
		}

		Duration left() {
			return this.left;
		}

	}

}
