package io.distributedlock.spring.internal.invocation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.spi.support.Failures;
import io.distributedlock.spring.internal.returntype.AsynchronousTypes;
import io.distributedlock.spring.internal.returntype.ReturnType;
import io.distributedlock.spring.internal.support.MethodBody;
import io.distributedlock.spring.internal.transaction.CallLocks;
import io.distributedlock.spring.internal.transaction.EnclosingLocks;
import org.jspecify.annotations.Nullable;

/**
 * Holds the locks until the future that the method returns has completed. The method is
 * started on a thread of the template's executor, and on the caller's only if that is the
 * thread of {@code @Async}.
 *
 * @param returned what the method returns
 * @param mayGoOn whether the value in the future may go on itself
 */
record FutureInvocation(ReturnType returned, boolean mayGoOn) implements LockedInvocation {

	static @Nullable LockedInvocation of(ReturnType returned) {
		Class<?> type = returned.type();
		return (type == CompletableFuture.class || type == CompletionStage.class)
				? new FutureInvocation(returned, AsynchronousTypes.mayTurnOut(returned.delivered())) : null;
	}

	@Override
	public Object invoke(AnnotatedCall call) {
		boolean here = call.rules().asynchronous();
		Running running = new Running(here ? call : call.copy(), EnclosingLocks.current(), this.mayGoOn,
				new AtomicReference<>());
		CompletableFuture<@Nullable Object> result = here ? running.startHere()
				: running.call.executeAsync(running::start, running::startInstead);
		result.whenComplete((ignored, failure) -> {
			if (result.isCancelled()) {
				running.cancel();
			}
		});
		return result;
	}

	@Override
	public boolean canSkip() {
		return true;
	}

	@Override
	public Object skipped() {
		CompletableFuture<@Nullable Object> nothing = new CompletableFuture<>();
		nothing.complete(ReturnType.empty(this.returned.delivered().resolve(Object.class)));
		return nothing;
	}

	/**
	 * The method of one call while it is under way.
	 *
	 * @param call the call
	 * @param enclosing the locks of the methods around, for the thread that runs this one
	 * @param mayGoOn whether the value in the future may go on itself
	 * @param stage what the method has returned
	 */
	private record Running(AnnotatedCall call, @Nullable EnclosingLocks enclosing, boolean mayGoOn,
			AtomicReference<@Nullable CompletableFuture<@Nullable Object>> stage) {

		/**
		 * Marks a method whose caller has cancelled.
		 */
		private static final CompletableFuture<@Nullable Object> CANCELLED = new CompletableFuture<>();

		/**
		 * Start on this thread, which waits for the future anyway. A thread of the
		 * executor may never come: all of them may wait so.
		 */
		private CompletableFuture<@Nullable Object> startHere() {
			LockHandle handle;
			try {
				handle = this.call.acquire();
			}
			catch (LockNotAcquiredException | LockUnavailableException ex) {
				return startInstead(ex);
			}
			CompletableFuture<@Nullable Object> ended = stageOf(this::start);
			LockContext.detach(handle);
			CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
			ended.whenComplete((value, failure) -> handle.closeAsync()
				.whenComplete((closed, never) -> Failures.settle(result, value, failure)));
			return result;
		}

		private CompletionStage<@Nullable Object> start() {
			LockHandle handle = LockContext.current();
			OnLost onLost = this.call.rules().onLost();
			CompletableFuture<@Nullable Object> started = stageOf(
					() -> this.call.proceed(new CallLocks(handle, this.call.rules().transaction())));
			if (!this.stage.compareAndSet(null, started)) {
				started.cancel(true);
			}
			if (onLost == OnLost.INTERRUPT) {
				handle.onLost((loss) -> started.cancel(true));
			}
			CompletableFuture<@Nullable Object> ended = this.mayGoOn
					? started.thenApply((value) -> AsynchronousTypes.requireEnded(value, this.call::method)) : started;
			return (onLost != OnLost.REPORT) ? whileHeld(ended, handle) : ended;
		}

		private CompletableFuture<@Nullable Object> startInstead(LockException refusal) {
			return stageOf(() -> this.call.otherwise(refusal));
		}

		private void cancel() {
			CompletableFuture<@Nullable Object> started = this.stage.getAndSet(CANCELLED);
			if (started != null) {
				started.cancel(true);
			}
		}

		@SuppressWarnings("unchecked")
		private CompletableFuture<@Nullable Object> stageOf(MethodBody method) {
			try {
				Object stage = EnclosingLocks.runWith(this.enclosing, method);
				return (stage != null) ? futureOf((CompletionStage<@Nullable Object>) stage)
						: CompletableFuture.completedFuture(null);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		private static CompletableFuture<@Nullable Object> futureOf(CompletionStage<@Nullable Object> stage) {
			try {
				return stage.toCompletableFuture();
			}
			catch (UnsupportedOperationException ex) {
				// a stage need not know futures, and its work goes on
				CompletableFuture<@Nullable Object> ended = new CompletableFuture<>();
				stage.whenComplete(Failures.settling(ended));
				return ended;
			}
		}

		/**
		 * Return a future that fails if the lock was lost, whatever the given one ends
		 * with.
		 */
		private static CompletableFuture<@Nullable Object> whileHeld(CompletableFuture<@Nullable Object> stage,
				LockHandle handle) {
			return stage.handle((value, failure) -> {
				try {
					handle.ensureHeld();
					return stage;
				}
				catch (LockException ex) {
					if (failure != null) {
						ex.addSuppressed(Failures.unwrap(failure));
					}
					throw ex;
				}
			}).thenCompose(Function.identity());
		}

	}

}
