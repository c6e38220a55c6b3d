package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class MutexTests {

	private static final int STEPS = 20_000;

	private final Mutex mutex = new Mutex();

	private int count;

	@Test
	void stepsOfSeveralThreadsRunOneAfterTheOther() {
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<CompletableFuture<?>> all = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				all.add(CompletableFuture.runAsync(this::countOn, threads));
			}
			all.forEach(CompletableFuture::join);
			assertThat(this.mutex.<Integer>get(() -> this.count)).isEqualTo(4 * STEPS);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private void countOn() {
		for (int i = 0; i < STEPS; i++) {
			this.mutex.run(() -> this.count++);
		}
	}

	@Test
	void stepThatFailsOrIsInsideAnotherBlocksNobody() {
		assertThatIllegalStateException().isThrownBy(() -> this.mutex.run(() -> {
			throw new IllegalStateException("failed");
		}));
		assertThatIllegalStateException().isThrownBy(() -> this.mutex.get(() -> this.mutex.get(() -> {
			throw new IllegalStateException("failed");
		})));
		this.mutex.run(() -> this.count++);
		assertThat(CompletableFuture.supplyAsync(() -> this.mutex.get(() -> this.count),
				DelayedTasks.after(Duration.ZERO)))
			.succeedsWithin(Patience.LIMIT)
			.isEqualTo(1);
	}

}
