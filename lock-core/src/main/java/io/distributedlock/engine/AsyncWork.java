package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Work that goes on after it was started, and keeps its lock until then.
 *
 * @param <T> the type of its result
 */
final class AsyncWork<T extends @Nullable Object> {

	private final LockHandle handle;

	private final Supplier<? extends CompletionStage<T>> work;

	private final CompletableFuture<T> result;

	AsyncWork(LockHandle handle, Supplier<? extends CompletionStage<T>> work, CompletableFuture<T> result) {
		this.handle = handle;
		this.work = work;
		this.result = result;
	}

	/**
	 * Start the work, unless nobody waits for it any more or the lock has ended while it
	 * waited for a thread. Called on a thread for code of the user.
	 */
	void start() {
		if (this.result.isDone()) {
			this.handle.closeAsync();
			return;
		}
		try {
			this.handle.ensureHeld();
			CompletionStage<T> stage = LockContext.capture().with(this.handle).call(this.work::get);
			if (stage == null) {
				throw new IllegalStateException(
						"The work under lock '%s' gave null where a CompletionStage was to tell of its end"
							.formatted(this.handle.key()));
			}
			stage.whenComplete(this::end);
		}
		catch (Throwable ex) {
			end(null, ex);
		}
	}

	private void end(@Nullable T value, @Nullable Throwable failure) {
		this.handle.closeAsync().whenComplete((closed, never) -> {
			if (failure != null) {
				this.result.completeExceptionally(LockErrors.unwrap(failure));
			}
			else {
				this.result.complete(value);
			}
		});
	}

}
