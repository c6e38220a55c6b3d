package io.distributedlock.redis.scripts.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commands that are looked at together, each with a time-out of its own.
 */
class CommandTimeoutsTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration SHORT = Duration.ofMillis(50);

	@Test
	void commandWithoutAnAnswerFails() {
		for (int i = 0; i < 3; i++) {
			assertLate(limit(SHORT));
		}
	}

	@Test
	void commandIsNotKeptWaitingByOneWithALongerTime() {
		CompletableFuture<String> patient = limit(LONG);
		assertLate(limit(SHORT));
		assertThat(patient).isNotDone();
		assertLate(limit(SHORT));
		patient.cancel(true);
	}

	@Test
	void answerIsPassedOn() {
		CompletableFuture<String> answer = new CompletableFuture<>();
		CompletableFuture<String> limited = CommandTimeouts.limit(answer, System.nanoTime() + LONG.toNanos());
		answer.complete("pong");
		assertThat(limited).isCompletedWithValue("pong");
	}

	@Test
	void lateCommandIsCancelled() {
		CompletableFuture<String> answer = new CompletableFuture<>();
		assertLate(CommandTimeouts.limit(answer, System.nanoTime() + SHORT.toNanos()));
		assertThat(answer).isCancelled();
	}

	private static CompletableFuture<String> limit(Duration time) {
		return CommandTimeouts.limit(new CompletableFuture<>(), System.nanoTime() + time.toNanos());
	}

	private static void assertLate(CompletableFuture<String> limited) {
		assertThat(limited).failsWithin(Patience.LIMIT).withThrowableThat().withCauseInstanceOf(TimeoutException.class);
	}

}
