package io.distributedlock.engine.internal.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendException;
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

	private final Duration commandTimeout;

	private final long commandTimeoutNanos;

	public ProviderCalls(EngineRuntime runtime, Timers timers, Duration commandTimeout) {
		this.runtime = runtime;
		this.timers = timers;
		this.commandTimeout = commandTimeout;
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
	 */
	public <T extends @Nullable Object> void ask(Inquiry<T> inquiry) {
		Question<T> asked = new Question<>(this, inquiry);
		// the time-out begins before the call, as the call itself may block
		asked.limit = limit(asked);
		put(inquiry, asked);
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
	public NoAnswerException noAnswer() {
		return new NoAnswerException(this.commandTimeout);
	}

	/**
	 * Return a future that fails with a {@link NoAnswerException} after the command
	 * time-out if nothing else completes it before.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> expect() {
		Answer<T> answer = new Answer<>();
		answer.limit = limit(() -> answer.completeExceptionally(noAnswer()));
		return answer;
	}

	/**
	 * Ask a provider, and complete a future with its first answer.
	 * @param late gets the answer if the future was completed before
	 */
	public <T extends @Nullable Object> void follow(CompletableFuture<T> answer,
			Supplier<? extends CompletionStage<T>> question, Consumer<T> late) {
		hear(question, (value, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else if (!answer.complete(value)) {
				Guard.run("a late answer", () -> late.accept(value));
			}
		});
	}

	/**
	 * Ask a provider, without a limit of time.
	 * @param onAnswer gets the first answer, or what the provider failed with or threw;
	 * it does not throw
	 */
	public <T extends @Nullable Object> void hear(Supplier<? extends CompletionStage<T>> question,
			BiConsumer<? super @Nullable T, ? super @Nullable Throwable> onAnswer) {
		put(question, new FirstAnswer<>(onAnswer));
	}

	private static <T extends @Nullable Object> void put(Supplier<? extends CompletionStage<T>> question,
			BiConsumer<@Nullable T, @Nullable Throwable> first) {
		try {
			CompletionStage<T> stage = question.get();
			if (stage == null) {
				first.accept(null, new BackendException("the provider returned null instead of a stage", false, null));
			}
			else if (stage.getClass() == CompletableFuture.class && isAnswered((CompletableFuture<T>) stage)) {
				first.accept(((CompletableFuture<T>) stage).join(), null);
			}
			else {
				stage.whenComplete(first);
			}
		}
		catch (Throwable ex) {
			first.accept(null, ex);
		}
	}

	/**
	 * What to ask a provider, and who hears the answer.
	 */
	public interface Inquiry<T extends @Nullable Object> extends Supplier<CompletionStage<T>> {

		/**
		 * Call the provider.
		 */
		@Override
		CompletionStage<T> get();

		/**
		 * Hear the answer, once.
		 * @param failure what the provider failed with or threw, or a
		 * {@link NoAnswerException} after the command time-out
		 */
		void onAnswer(@Nullable T answer, @Nullable Throwable failure);

		/**
		 * Hear an answer that comes after the command time-out.
		 */
		void onLateAnswer(@Nullable T answer);

	}

	private static boolean isAnswered(CompletableFuture<?> answer) {
		return answer.isDone() && !answer.isCompletedExceptionally();
	}

	/**
	 * A question, which passes on its first answer, or that there was none in time.
	 */
	private static final class Question<T extends @Nullable Object>
			implements BiConsumer<@Nullable T, @Nullable Throwable>, Runnable {

		private static final int OPEN = 0;

		private static final int OVERDUE = 1;

		private static final int ANSWERED = 2;

		@SuppressWarnings("rawtypes")
		private static final AtomicIntegerFieldUpdater<Question> STATE = AtomicIntegerFieldUpdater
			.newUpdater(Question.class, "state");

		private final ProviderCalls providerCalls;

		private final Inquiry<T> inquiry;

		@SuppressWarnings("UnusedVariable")
		private volatile int state = OPEN;

		private volatile Timers.Timer limit = Timers.Timer.NONE;

		private Question(ProviderCalls providerCalls, Inquiry<T> inquiry) {
			this.providerCalls = providerCalls;
			this.inquiry = inquiry;
		}

		@Override
		public void accept(@Nullable T value, @Nullable Throwable failure) {
			int before = STATE.getAndSet(this, ANSWERED);
			if (before == OPEN) {
				this.limit.cancel();
				this.inquiry.onAnswer(value, (failure != null) ? Failures.unwrap(failure) : null);
			}
			else if (before == OVERDUE && failure == null) {
				Guard.run("a late answer", () -> this.inquiry.onLateAnswer(value));
			}
		}

		/**
		 * The command time-out is over.
		 */
		@Override
		public void run() {
			if (STATE.compareAndSet(this, OPEN, OVERDUE)) {
				this.inquiry.onAnswer(null, this.providerCalls.noAnswer());
			}
		}

	}

	/**
	 * A future that cancels its time-out when it completes.
	 */
	private static final class Answer<T extends @Nullable Object> extends CompletableFuture<T> {

		private volatile Timers.Timer limit = Timers.Timer.NONE;

		@Override
		public boolean complete(T value) {
			this.limit.cancel();
			return super.complete(value);
		}

		@Override
		public boolean completeExceptionally(Throwable failure) {
			this.limit.cancel();
			return super.completeExceptionally(failure);
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			this.limit.cancel();
			return super.cancel(mayInterruptIfRunning);
		}

	}

	/**
	 * Passes one answer on, however often a provider answers.
	 */
	private static final class FirstAnswer<T extends @Nullable Object>
			implements BiConsumer<@Nullable T, @Nullable Throwable> {

		@SuppressWarnings("rawtypes")
		private static final AtomicIntegerFieldUpdater<FirstAnswer> ANSWERED = AtomicIntegerFieldUpdater
			.newUpdater(FirstAnswer.class, "answered");

		@SuppressWarnings("UnusedVariable")
		private volatile int answered;

		private final BiConsumer<? super @Nullable T, ? super @Nullable Throwable> onAnswer;

		private FirstAnswer(BiConsumer<? super @Nullable T, ? super @Nullable Throwable> onAnswer) {
			this.onAnswer = onAnswer;
		}

		@Override
		public void accept(@Nullable T value, @Nullable Throwable failure) {
			if (ANSWERED.compareAndSet(this, 0, 1)) {
				this.onAnswer.accept(value, (failure != null) ? Failures.unwrap(failure) : null);
			}
		}

	}

}
