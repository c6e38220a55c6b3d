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
 */
public final class AsyncWork<T extends @Nullable Object> {

	private final LockContext caller = LockContext.capture();

	private final Supplier<? extends CompletionStage<T>> work;

	/**
	 * Starts the other work if there is no lock; its argument says why.
	 */
	private final Function<? super LockException, ? extends CompletionStage<T>> otherwise;

	private final CompletableFuture<T> result;

	public AsyncWork(Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise, CompletableFuture<T> result) {
		this.work = work;
		this.otherwise = otherwise;
		this.result = result;
	}

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
		else {
			settle(null, failure);
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
				.whenComplete((value, failure) -> end(handle, value, failure));
		}
		catch (Throwable ex) {
			end(handle, null, ex);
		}
	}

	private void startOtherwise(LockException refusal) {
		try {
			stageOf(this.caller, () -> this.otherwise.apply(refusal), refusal.getKey()).whenComplete(this::settle);
		}
		catch (Throwable ex) {
			settle(null, ex);
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

	private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
		handle.closeAsync().whenComplete((closed, never) -> settle(value, failure));
	}

	private void settle(@Nullable T value, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(Failures.unwrap(failure));
		}
		else {
			this.result.complete(value);
		}
	}

}
