package io.distributedlock.engine.internal.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Asks the providers, and trusts none of them: whatever a provider does, each question
 * gets exactly one answer, a value or a failure, within the command time-out. All calls
 * of providers that return a stage go through this class.
 * <p>
 * Why: docs/decisions/005-trust-no-provider.md
 */
public final class ProviderCalls {

	private final EngineRuntime runtime;

	private final Timers timers;

	private final long commandTimeoutNanos;

	/**
	 * By the name of the provider.
	 */
	private final ConcurrentMap<String, Ping> pings = new ConcurrentHashMap<>();

	public ProviderCalls(EngineRuntime runtime, Timers timers, Duration commandTimeout) {
		this.runtime = runtime;
		this.timers = timers;
		this.commandTimeoutNanos = LockTimes.saturatedNanos(commandTimeout);
	}

	/**
	 * Return how long a question waits for its answer.
	 */
	public long commandTimeoutNanos() {
		return this.commandTimeoutNanos;
	}

	/**
	 * Ask a provider, on this thread.
	 * @param onAnswer gets the answer; or what the provider failed with or threw, or a
	 * {@link NoAnswerException} after the command time-out
	 * @param late gets an answer that comes after that
	 */
	public <T extends @Nullable Object> void ask(Supplier<? extends CompletionStage<T>> question,
			BiConsumer<? super @Nullable T, ? super @Nullable Throwable> onAnswer, Consumer<T> late) {
		// the time-out begins before the call, as the call itself may block
		Timers.Timer limit = limit(() -> onAnswer.accept(null, noAnswer()));
		hear(question, new FirstAnswer<>() {
			@Override
			protected void onAnswer(@Nullable T value, @Nullable Throwable failure) {
				if (limit.cancel()) {
					onAnswer.accept(value, failure);
				}
				else if (failure == null) {
					Guard.run("a late answer", () -> late.accept(value));
				}
			}
		});
	}

	/**
	 * Run a step after the command time-out, on a thread of the engine.
	 * @return cancels the step
	 */
	public Timers.Timer limit(Runnable step) {
		return this.timers.stepAt(this.runtime.nanoTime() + this.commandTimeoutNanos, step);
	}

	/**
	 * Return what a question fails with that has no answer within the command time-out.
	 */
	public Throwable noAnswer() {
		try {
			return new NoAnswerException(Duration.ofNanos(this.commandTimeoutNanos));
		}
		catch (Throwable ex) {
			// there is no memory for it, and the question must end nevertheless
			return ex;
		}
	}

	/**
	 * Return a future that fails with a {@link NoAnswerException} after the command
	 * time-out if nothing else completes it before.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> expect() {
		CompletableFuture<T> answer = new CompletableFuture<>();
		Timers.Timer limit = limit(() -> answer.completeExceptionally(noAnswer()));
		answer.whenComplete((value, failure) -> limit.cancel());
		return answer;
	}

	/**
	 * Ask a provider, and complete a future with its first answer.
	 * @param late gets the answer if the future was completed before
	 */
	public <T extends @Nullable Object> void follow(CompletableFuture<T> answer,
			Supplier<? extends CompletionStage<T>> question, Consumer<T> late) {
		hear(question, new FirstAnswer<>() {
			@Override
			protected void onAnswer(@Nullable T value, @Nullable Throwable failure) {
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				else if (!answer.complete(value)) {
					Guard.run("a late answer", () -> late.accept(value));
				}
			}
		});
	}

	/**
	 * The question whether a backend answers, to be asked by this object. A call that
	 * blocks is not followed by others, each on one more thread: who asks meanwhile gets
	 * its answer, or none if it has blocked for the command time-out.
	 */
	public CompletionStage<@Nullable Object> ping(LockProvider provider) {
		String name = provider.name();
		Ping mine = new Ping(this.runtime.nanoTime(), new CompletableFuture<>());
		Ping blocked = this.pings.putIfAbsent(name, mine);
		if (blocked != null) {
			return (mine.sinceNanos - blocked.sinceNanos < this.commandTimeoutNanos) ? blocked.answer
					: CompletableFuture.failedFuture(noAnswer());
		}
		try {
			CompletionStage<@Nullable Object> answer = provider.ping().thenApply((value) -> value);
			answer.whenComplete(Failures.settling(mine.answer));
			return answer;
		}
		catch (Throwable ex) {
			mine.answer.completeExceptionally(ex);
			throw ex;
		}
		finally {
			this.pings.remove(name);
		}
	}

	/**
	 * Ask a provider on a thread of the engine: a provider that blocks must not delay the
	 * caller.
	 * @param late gets an answer that comes after the command time-out
	 * @return completes within the command time-out
	 */
	public <T extends @Nullable Object> CompletableFuture<T> askOnThread(
			Supplier<? extends CompletionStage<T>> question, Consumer<T> late) {
		CompletableFuture<T> answer = expect();
		this.runtime.execute(() -> follow(answer, question, late));
		return answer;
	}

	/**
	 * Ask a provider, without a limit of time.
	 */
	public <T extends @Nullable Object> void hear(Supplier<? extends CompletionStage<T>> question,
			FirstAnswer<T> answer) {
		try {
			CompletionStage<T> stage = question.get();
			if (stage == null) {
				throw new BackendException("the provider returned null instead of a stage", false, null);
			}
			if (isAnswered(stage)) {
				// saves what a dependent costs
				answer.accept(stage.toCompletableFuture().join(), null);
			}
			else {
				stage.whenComplete(answer);
			}
		}
		catch (Throwable ex) {
			answer.accept(null, ex);
		}
	}

	private static boolean isAnswered(CompletionStage<?> stage) {
		return stage.getClass() == CompletableFuture.class && stage.toCompletableFuture().isDone()
				&& !stage.toCompletableFuture().isCompletedExceptionally();
	}

	/**
	 * Takes the answer to one question, however often a provider answers. Made before the
	 * question is asked, as there may be no memory for it later.
	 *
	 * @param <T> the type of the answer
	 */
	public abstract static class FirstAnswer<T extends @Nullable Object> extends AtomicBoolean
			implements BiConsumer<@Nullable T, @Nullable Throwable> {

		private static final long serialVersionUID = 1;

		/**
		 * Take the answer, or what the provider failed with or threw. Does not throw.
		 */
		protected abstract void onAnswer(@Nullable T value, @Nullable Throwable failure);

		@Override
		public final void accept(@Nullable T value, @Nullable Throwable failure) {
			if (compareAndSet(false, true)) {
				onAnswer(value, (failure != null) ? Failures.unwrap(failure) : null);
			}
		}

	}

	/**
	 * A call of {@link LockProvider#ping()} that has not returned.
	 */
	private record Ping(long sinceNanos, CompletableFuture<@Nullable Object> answer) {
	}

}
