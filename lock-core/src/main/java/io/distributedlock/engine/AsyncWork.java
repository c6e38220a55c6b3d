package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Work that goes on after it was started, and keeps its lock until then. It finds the
 * locks of the code that asked for it, on whatever thread it starts.
 *
 * @param <T> the type of its result
 */
final class AsyncWork<T extends @Nullable Object> {

	private final LockContext caller = LockContext.capture();

	private final Supplier<? extends CompletionStage<T>> work;

	/**
	 * What starts instead, and is told why.
	 */
	private final Function<? super LockException, ? extends CompletionStage<T>> otherwise;

	private final CompletableFuture<T> result;

	AsyncWork(Supplier<? extends CompletionStage<T>> work,
			Function<? super LockException, ? extends CompletionStage<T>> otherwise, CompletableFuture<T> result) {
		this.work = work;
		this.otherwise = otherwise;
		this.result = result;
	}

	/**
	 * Start the work, or what runs instead. Called on a thread for code of the user.
	 */
	void start(@Nullable LockHandle handle, @Nullable Throwable failure) {
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
	 * Nobody may wait for it any more, or the lock has ended while it waited for a
	 * thread: then it does not start.
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
					"The work under lock '%s' gave null where a CompletionStage was to tell of its end".formatted(key));
		}
		return stage;
	}

	private void end(LockHandle handle, @Nullable T value, @Nullable Throwable failure) {
		handle.closeAsync().whenComplete((closed, never) -> settle(value, failure));
	}

	private void settle(@Nullable T value, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(LockErrors.unwrap(failure));
		}
		else {
			this.result.complete(value);
		}
	}

}
