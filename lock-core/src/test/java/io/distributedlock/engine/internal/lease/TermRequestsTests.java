package io.distributedlock.engine.internal.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

import io.distributedlock.engine.internal.runtime.Trampoline;
import io.distributedlock.spi.LeaseTerm;
import io.distributedlock.test.patience.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TermRequestsTests {

	/**
	 * A client may bring the answer inside of the call for another key, which may block.
	 */
	@Test
	void extensionDoesNotWaitForTheStepInWhichTheAnswerBeforeItCame() {
		TermRequests requests = new TermRequests();
		CompletableFuture<Void> renewal = new CompletableFuture<>();
		assertThat(requests.startRenewal(renewal, () -> true)).isTrue();
		CompletableFuture<@Nullable LeaseTerm> extension = requests
			.extend(() -> CompletableFuture.completedFuture(null), ForkJoinPool.commonPool());
		CompletableFuture<Boolean> inside = new CompletableFuture<>();
		Trampoline.run(() -> {
			renewal.complete(null);
			inside.completeAsync(() -> {
				Patience.await().until(extension::isDone);
				return true;
			}).join();
		});
		assertThat(inside).isCompletedWithValue(true);
		assertThat(requests.isIdle()).isTrue();
	}

	@Test
	void extensionThatCannotBeSentIsNotUnderWay() {
		TermRequests requests = new TermRequests();
		CompletableFuture<Void> renewal = new CompletableFuture<>();
		assertThat(requests.startRenewal(renewal, () -> true)).isTrue();
		CompletableFuture<@Nullable LeaseTerm> extension = requests
			.extend(() -> CompletableFuture.completedFuture(null), (step) -> {
				throw new IllegalStateException("closed");
			});
		renewal.complete(null);
		assertThat(extension).isCompletedExceptionally();
		assertThat(requests.startRenewal(new CompletableFuture<>(), () -> true)).isTrue();
	}

}
