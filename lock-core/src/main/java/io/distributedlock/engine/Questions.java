package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is asked of a provider is asked here, and no provider is trusted:
 * whatever it does, each question has one answer, a value or a failure, within the
 * command time-out.
 */
final class Questions {

	private final EngineRuntime runtime;

	private final Timers timers;

	private final Duration commandTimeout;

	private final long commandTimeoutNanos;

	Questions(EngineRuntime runtime, Timers timers, Duration commandTimeout) {
		this.runtime = runtime;
		this.timers = timers;
		this.commandTimeout = commandTimeout;
		this.commandTimeoutNanos = LockTimes.saturatedNanos(commandTimeout);
	}

	/**
	 * Return for how long a question waits for its answer.
	 */
	long commandTimeoutNanos() {
		return this.commandTimeoutNanos;
	}

	/**
	 * Ask a provider.
	 * @param question the call of the provider, made on this thread
	 * @param late gets an answer that comes when nobody waits for it any more
	 * @param onAnswer gets the answer, or what the provider failed with or threw, or
	 * after the command time-out a {@link NoAnswerException}
	 */
	<T extends @Nullable Object> void ask(Supplier<? extends CompletionStage<T>> question, Consumer<T> late,
			BiConsumer<? super @Nullable T, ? super @Nullable Throwable> onAnswer) {
		// before the call: it may be the call that does not return
		CompletableFuture<T> answer = expect();
		answer.whenComplete(onAnswer);
		follow(answer, question, late);
	}

	/**
	 * Wait for an answer from now on, at most the command time-out.
	 */
	<T extends @Nullable Object> CompletableFuture<T> expect() {
		CompletableFuture<T> answer = new CompletableFuture<>();
		Timers.Timer limit = this.timers.stepAt(this.runtime.nanoTime() + this.commandTimeoutNanos,
				() -> answer.completeExceptionally(new NoAnswerException(this.commandTimeout)));
		answer.whenComplete((value, failure) -> limit.cancel());
		return answer;
	}

	/**
	 * Ask a provider, and let what it says first be the answer.
	 */
	<T extends @Nullable Object> void follow(CompletableFuture<T> answer,
			Supplier<? extends CompletionStage<T>> question, Consumer<T> late) {
		try {
			CompletionStage<T> stage = question.get();
			if (stage == null) {
				answer.completeExceptionally(new BackendException("the provider answered with no stage", false, null));
				return;
			}
			AtomicBoolean answered = new AtomicBoolean();
			stage.whenComplete((value, failure) -> {
				if (!answered.compareAndSet(false, true)) {
					// said before
					return;
				}
				if (failure != null) {
					answer.completeExceptionally(LockErrors.unwrap(failure));
				}
				else if (!answer.complete(value)) {
					Guard.run("a late answer", () -> late.accept(value));
				}
			});
		}
		catch (Throwable ex) {
			answer.completeExceptionally(ex);
		}
	}

}
