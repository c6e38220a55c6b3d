package io.distributedlock.redisson.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CommandDeadlinesTests {

	private final CommandDeadlines times = new CommandDeadlines();

	@ParameterizedTest
	@ValueSource(longs = { 1, 100, 400, 700 })
	void callWithoutAnswerIsCancelledInTime(long millis) {
		CompletableFuture<Long> call = new CompletableFuture<>();
		long start = System.nanoTime();
		this.times.cancelAfter(call, TimeUnit.MILLISECONDS.toNanos(millis));
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> call.get(Patience.SECONDS, TimeUnit.SECONDS));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("not much too early")
			.isGreaterThan(Duration.ofMillis(millis - 20));
	}

	@Test
	void callsOfOneInstantAreCancelledTogetherAndAnsweredOnesAreNot() throws InterruptedException, ExecutionException {
		CompletableFuture<Long> answered = new CompletableFuture<>();
		this.times.cancelAfter(answered, TimeUnit.MILLISECONDS.toNanos(500));
		List<CompletableFuture<Long>> calls = LongStream.range(0, 100)
			.mapToObj((i) -> new CompletableFuture<Long>())
			.toList();
		calls.forEach((call) -> this.times.cancelAfter(call, TimeUnit.MILLISECONDS.toNanos(500)));
		answered.complete(1L);
		calls.forEach((call) -> assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> call.get(Patience.SECONDS, TimeUnit.SECONDS)));
		assertThat(answered.get()).isOne();
	}

	@Test
	void answeredCallsAreForgotten() {
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Long> call = new CompletableFuture<>();
			this.times.cancelAfter(call, TimeUnit.HOURS.toNanos(1));
			call.complete(1L);
		}
		assertThat(this.times.size()).isZero();
	}

}
