package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Asks providers whether their backends answer, and how fast.
 */
final class Pings {

	private final EngineRuntime runtime;

	private final Questions questions;

	Pings(EngineRuntime runtime, Questions questions) {
		this.runtime = runtime;
		this.questions = questions;
	}

	/**
	 * Ask a provider, on a thread of the engine: a provider that blocks must not delay
	 * the caller.
	 * @return completes with the time until the answer; fails with what the provider
	 * failed with, or with a {@link NoAnswerException} after the command time-out
	 */
	CompletableFuture<Duration> ping(LockProvider provider) {
		CompletableFuture<Duration> took = this.questions.expect();
		long askedAt = this.runtime.nanoTime();
		this.runtime.execute(() -> this.questions.<@Nullable Object>hear(() -> answerOf(provider), (value, failure) -> {
			if (failure != null) {
				took.completeExceptionally(failure);
			}
			else {
				took.complete(Duration.ofNanos(this.runtime.nanoTime() - askedAt));
			}
		}));
		return took;
	}

	private static CompletionStage<@Nullable Object> answerOf(LockProvider provider) {
		return provider.ping().thenApply((answer) -> answer);
	}

}
