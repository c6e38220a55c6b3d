package io.distributedlock.spi.support;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An owner that nobody knows of is looked for until the server has answered.
 */
class UnknownOwnersTests {

	private final UnknownOwners owners = new UnknownOwners();

	private final Deque<Supplier<CompletionStage<Boolean>>> answers = new ConcurrentLinkedDeque<>();

	private final AtomicInteger asked = new AtomicInteger();

	@AfterEach
	void close() {
		this.owners.close();
	}

	@Test
	void removalThatThrowsIsTriedAgain() {
		this.answers.add(() -> {
			throw new BackendException("connection lost", true, null);
		});
		this.answers.add(() -> {
			throw new NoClassDefFoundError("com/example/client/Codec");
		});
		this.answers.add(() -> null);
		this.answers.add(() -> CompletableFuture.completedFuture(true));
		remove();
		awaitCalls(4);
	}

	@Test
	void removalIsTriedAgainBeyondTheLease() {
		for (int i = 0; i < 4; i++) {
			this.answers.add(() -> CompletableFuture.failedFuture(new BackendException("unreachable", true, null)));
		}
		this.answers.add(() -> CompletableFuture.completedFuture(true));
		remove();
		awaitCalls(5);
	}

	@Test
	void ownerThatWasNotThereIsLookedForOnceMore() {
		this.answers.add(() -> CompletableFuture.completedFuture(false));
		this.answers.add(() -> CompletableFuture.completedFuture(true));
		remove();
		awaitCalls(2);
	}

	@Test
	void nothingIsAskedAfterTheClose() {
		Deque<Runnable> later = new ConcurrentLinkedDeque<>();
		UnknownOwners closing = new UnknownOwners(System::nanoTime, (task, millis) -> later.add(task));
		closing.remove("k", Duration.ofMillis(1), () -> {
			this.asked.incrementAndGet();
			return CompletableFuture.completedFuture(false);
		});
		closing.close();
		later.remove().run();
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void applicationThatBlocksTheCommonPoolHoldsNothingUp() {
		CountDownLatch end = new CountDownLatch(1);
		try {
			for (int i = 0; i < 2 * ForkJoinPool.getCommonPoolParallelism(); i++) {
				ForkJoinPool.commonPool().execute(() -> await(end));
			}
			removalIsTriedAgainBeyondTheLease();
		}
		finally {
			end.countDown();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void remove() {
		this.owners.remove("k", Duration.ofMillis(1), () -> {
			this.asked.incrementAndGet();
			return this.answers.remove().get();
		});
	}

	private void awaitCalls(int calls) {
		Patience.await().until(() -> this.asked.get() == calls);
		// it is counted before its answer is taken
		Patience.await().untilAsserted(() -> assertThat(this.answers).isEmpty());
	}

}
