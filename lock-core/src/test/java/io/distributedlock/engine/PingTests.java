package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.Lease;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Whatever a provider does when it is asked for an answer, the caller gets one in time.
 */
class PingTests {

	@Test
	void timeUntilTheAnswer() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			assertThat(template.backends().ping("local")).succeedsWithin(Patience.LIMIT)
				.satisfies((took) -> assertThat(took).isPositive());
		}
	}

	@Test
	void failureOfTheProviderIsPassedOn() {
		BackendException failure = new BackendException("down", true, null);
		assertThat(ask(() -> CompletableFuture.failedFuture(failure), Patience.LIMIT)).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isSameAs(failure);
		assertThat(ask(() -> {
			throw failure;
		}, Patience.LIMIT)).failsWithin(Patience.LIMIT).withThrowableThat().havingCause().isSameAs(failure);
	}

	@Test
	void providerThatDoesNotAnswerFailsAfterTheCommandTimeout() {
		assertThat(ask(CompletableFuture::new, Duration.ofMillis(100))).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(BackendException.class)
			.withMessageContaining("command time-out of 100ms");
	}

	@Test
	void providerThatBlocksDoesNotBlockTheCaller() {
		CountDownLatch caller = new CountDownLatch(1);
		CompletableFuture<Duration> answer = ask(() -> {
			try {
				caller.await(Patience.SECONDS, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return new CompletableFuture<>();
		}, Duration.ofMillis(100));
		assertThat(answer).failsWithin(Patience.LIMIT);
		assertThat(caller.getCount()).as("the provider blocks until now").isEqualTo(1);
		caller.countDown();
	}

	@Test
	void providerThatBlocksKeepsOneThreadHoweverOftenItIsAsked() {
		CountDownLatch end = new CountDownLatch(1);
		TrickyProvider provider = new TrickyProvider();
		provider.ping.always(Trick.blocking(end));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Duration.ofMillis(100))
			.build()) {
			for (int i = 0; i < 5; i++) {
				assertThat(template.backends().ping("tricky")).failsWithin(Patience.LIMIT)
					.withThrowableThat()
					.withMessageContaining("command time-out of 100ms");
			}
			assertThat(provider.ping.calls()).isEqualTo(1);
			provider.ping.always(Trick.answering(null));
			end.countDown();
			Patience.await()
				.untilAsserted(() -> assertThat(template.backends().ping("tricky")).succeedsWithin(Patience.LIMIT));
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void whoAsksWhileAnotherQuestionBlocksGetsItsAnswer() {
		CountDownLatch end = new CountDownLatch(1);
		TrickyProvider provider = new TrickyProvider();
		provider.ping.always(Trick.answering(null));
		provider.ping.next((properly) -> {
			Trick.awaitUninterruptibly(end);
			return CompletableFuture.completedFuture(null);
		});
		try (DefaultLockTemplate template = DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(Patience.LIMIT)
			.build()) {
			CompletableFuture<Duration> first = template.backends().ping("tricky");
			Patience.await().until(() -> provider.ping.calls() == 1);
			CompletableFuture<Duration> second = template.backends().ping("tricky");
			assertThat(second).isNotDone();
			end.countDown();
			assertThat(first).succeedsWithin(Patience.LIMIT);
			assertThat(second).succeedsWithin(Patience.LIMIT);
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void providerThatCannotBeAskedSaysSo() {
		LockProvider provider = new LocalLockProviderWithoutPing();
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(provider).build()) {
			assertThat(template.backends().ping("custom")).failsWithin(Patience.LIMIT)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(UnsupportedOperationException.class)
				.withMessageContaining("custom");
		}
	}

	@Test
	void unknownProviderIsRefused() {
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build()) {
			assertThatIllegalArgumentException().isThrownBy(() -> template.backends().ping("redis"))
				.withMessageContaining("'redis'")
				.withMessageContaining("local");
		}
	}

	private static CompletableFuture<Duration> ask(Supplier<CompletionStage<?>> ping, Duration commandTimeout) {
		LockProvider provider = new LocalLockProviderWithoutPing() {

			@Override
			public CompletionStage<?> ping() {
				return ping.get();
			}

		};
		return DefaultLockTemplate.builder()
			.provider(provider)
			.commandTimeout(commandTimeout)
			.build()
			.backends()
			.ping("custom");
	}

	/**
	 * A provider that was written before providers could be asked.
	 */
	private static class LocalLockProviderWithoutPing implements LockProvider {

		private final LocalLockProvider local = new LocalLockProvider();

		@Override
		public String name() {
			return "custom";
		}

		@Override
		public CompletionStage<@Nullable Lease> tryAcquire(LeaseRequest request) {
			return this.local.tryAcquire(request);
		}

	}

}
