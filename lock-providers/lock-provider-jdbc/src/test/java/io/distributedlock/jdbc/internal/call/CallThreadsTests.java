package io.distributedlock.jdbc.internal.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CallThreadsTests {

	/**
	 * As with H2, whose driver cannot limit the silence of a connection.
	 */
	@Test
	void threadsThatNeverComeBackAreReplaced() {
		CompletableFuture<Void> never = new CompletableFuture<>();
		try (CallThreads threads = new CallThreads("test", 2)) {
			for (int i = 0; i < 4; i++) {
				CompletableFuture<Void> stuck = threads.run(never::join, Duration.ofMillis(100).toNanos(), (late) -> {
				});
				Patience.await().until(stuck::isDone);
				assertThat(stuck).isCompletedExceptionally();
			}
			assertThat(threads.run(() -> "done", Patience.LIMIT.toNanos(), (late) -> {
			})).succeedsWithin(Patience.LIMIT).isEqualTo("done");
			never.complete(null);
			Patience.await().until(() -> threads.running() == 0);
		}
	}

	@Test
	void callerThatGivesUpFindsAThreadForItsNextCall() {
		CompletableFuture<Void> never = new CompletableFuture<>();
		try (CallThreads threads = new CallThreads("test", 1)) {
			CompletableFuture<String> next = threads.run(never::join, Duration.ofMillis(100).toNanos(), (late) -> {
			}).handle((value, failure) -> threads.run(() -> "done", Patience.LIMIT.toNanos(), (late) -> {
			}).join());
			assertThat(next).succeedsWithin(Patience.LIMIT.dividedBy(2)).isEqualTo("done");
			never.complete(null);
		}
	}

	@Test
	void taskThatMustRunDoesSoAlthoughTheJvmHasNoThread() {
		ThreadFactory failing = (task) -> {
			// not an OutOfMemoryError, which would end the test run
			throw new InternalError("unable to create native thread");
		};
		CompletableFuture<Boolean> inAnyCase = new CompletableFuture<>();
		CompletableFuture<Boolean> alone = new CompletableFuture<>();
		try (CallThreads threads = new CallThreads(failing, 1)) {
			threads.runInAnyCase(() -> inAnyCase.complete(true));
		}
		CallThreads.runAlone(failing, () -> alone.complete(true));
		assertThat(inAnyCase).succeedsWithin(Patience.LIMIT);
		assertThat(alone).succeedsWithin(Patience.LIMIT);
	}

}
