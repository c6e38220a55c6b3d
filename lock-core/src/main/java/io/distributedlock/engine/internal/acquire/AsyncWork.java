package io.distributedlock.engine.internal.acquire;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous work that keeps its lock until its stage has completed. It knows the locks
 * of the code that asked for it, on whatever thread it starts.
 *
 * @param <T> the type of its result
 * @param caller the locks of that code
 * @param work starts the work
 * @param otherwise starts the other work if there is no lock; its argument says why
 * @param result completes as the work does
 */
public record AsyncWork<T extends @Nullable Object>(LockContext caller, Supplier<? extends CompletionStage<T>> work,
		Function<? super LockException, ? extends CompletionStage<T>> otherwise, CompletableFuture<T> result) {

	/**
	 * Start the work, or the other work. Called on a thread for code of the user.
	 */
	public void start(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (handle != null) {
			startLocked(handle);
		}
		else if (failure instanceof LockException refusal && !this.result.isDone()) {
			startOtherwise(refusal);
		}
		else if (failure != null) {
			fail(failure);
		}
	}

	/**
	 * Start the work, unless nobody waits for it any more or the lock ended before a
	 * thread was free.
	 */
	private void startLocked(LockHandle handle) {
		if (this.result.isDone()) {
			handle.closeAsync();
			return;
		}
		try {
			handle.ensureHeld();
			stageOf(this.caller.with(handle), this.work, handle.key())
				.whenComplete((value, failure) -> handle.closeAsync()
					.whenComplete((closed, never) -> Failures.settle(this.result, value, failure)));
		}
		catch (Throwable ex) {
			handle.closeAsync().whenComplete((closed, never) -> fail(ex));
		}
	}

	private void startOtherwise(LockException refusal) {
		try {
			stageOf(this.caller, () -> this.otherwise.apply(refusal), refusal.getKey())
				.whenComplete(Failures.settling(this.result));
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private CompletionStage<T> stageOf(LockContext context, Supplier<? extends CompletionStage<T>> start,
			@Nullable String key) {
		CompletionStage<T> stage = context.call(start::get);
		if (stage == null) {
			throw new IllegalStateException(
					"The work under lock '%s' returned null instead of a CompletionStage. Return a stage that completes when the work ends"
						.formatted(key));
		}
		return stage;
	}

	private void fail(Throwable failure) {
		this.result.completeExceptionally(Failures.unwrap(failure));
	}

}
