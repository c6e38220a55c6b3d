package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DelayedTasksTests {

	/**
	 * The thread that counts the delay has nobody to tell.
	 */
	@Test
	void taskForWhichTheJvmHadNoThreadRunsLater() {
		AtomicInteger failures = new AtomicInteger(2);
		Executor threads = DelayedTasks.executor((task) -> {
			if (failures.getAndDecrement() > 0) {
				// not an OutOfMemoryError, which would end the test run
				throw new InternalError("unable to create native thread");
			}
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			return thread;
		});
		CompletableFuture<Boolean> run = new CompletableFuture<>();
		CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, threads).execute(() -> run.complete(true));
		assertThat(run).succeedsWithin(Patience.LIMIT);
		assertThat(failures).hasNegativeValue();
	}

	@Test
	void taskThatIsCalledOffDoesNotRun() {
		AtomicInteger runs = new AtomicInteger();
		DelayedTasks.later(Duration.ofMillis(20), runs::incrementAndGet).run();
		CompletableFuture<Boolean> after = new CompletableFuture<>();
		DelayedTasks.later(Duration.ofMillis(40), () -> after.complete(true));
		assertThat(after).succeedsWithin(Patience.LIMIT);
		assertThat(runs).hasValue(0);
	}

}
