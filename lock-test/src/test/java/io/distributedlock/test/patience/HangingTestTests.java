package io.distributedlock.test.patience;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

class HangingTestTests {

	@Test
	void jvmOfATestThatHeedsNoInterruptEnds() {
		assertThat(endsOf(Hanging.class, "joins")).isOne();
	}

	@Test
	void jvmOfATestThatHeedsTheInterruptGoesOn() {
		assertThat(endsOf(Heeding.class, "waits")).isZero();
		// longer than the time that a test has for its end
		Patience.await().during(Heeding.GRACE.plusMillis(300)).until(() -> Hanging.ends.get() == 0);
	}

	private static int endsOf(Class<?> tests, String method) {
		Hanging.ends.set(0);
		EngineTestKit.engine("junit-jupiter")
			.selectors(selectMethod(tests, method))
			.execute()
			.testEvents()
			.assertStatistics((events) -> events.failed(1));
		return Hanging.ends.get();
	}

	static class Hanging {

		private static final AtomicInteger ends = new AtomicInteger();

		private static final CompletableFuture<Void> never = new CompletableFuture<>();

		@RegisterExtension
		static final HangingTest hanging = new HangingTest(Duration.ofMillis(300), () -> {
			ends.incrementAndGet();
			never.complete(null);
		});

		@Test
		@Timeout(value = 50, unit = TimeUnit.MILLISECONDS)
		void joins() {
			never.join();
		}

	}

	static class Heeding {

		/**
		 * Longer than a busy machine may pause.
		 */
		private static final Duration GRACE = Duration.ofSeconds(3);

		@RegisterExtension
		static final HangingTest hanging = new HangingTest(GRACE, Hanging.ends::incrementAndGet);

		@Test
		@Timeout(value = 50, unit = TimeUnit.MILLISECONDS)
		void waits() throws Exception {
			new CompletableFuture<Void>().get(Patience.SECONDS, TimeUnit.SECONDS);
		}

	}

}
