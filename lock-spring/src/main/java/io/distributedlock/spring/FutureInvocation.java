package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockContext;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.annotation.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Holds the locks until the future that the method returns has completed. The method is
 * started on a thread of the template's executor.
 */
final class FutureInvocation implements LockedInvocation {

	static @Nullable LockedInvocation of(Method method) {
		Class<?> type = method.getReturnType();
		return (type == CompletableFuture.class || type == CompletionStage.class) ? new FutureInvocation() : null;
	}

	static boolean isStage(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type);
	}

	@Override
	public Object invoke(LockCall call) {
		LockCall own = call.copy();
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		CompletableFuture<LockHandle> acquired = own.acquireAsync();
		acquired.whenComplete((handle, failure) -> {
			if (handle != null) {
				run(own, handle, result);
			}
			else {
				start(() -> own.otherwise(refusal(failure))).whenComplete((value, ex) -> settle(result, value, ex));
			}
		});
		result.whenComplete((ignored, failure) -> {
			if (result.isCancelled()) {
				acquired.cancel(false);
			}
		});
		return result;
	}

	@Override
	public boolean canSkip(Method method) {
		return true;
	}

	@Override
	public Object skipped(Method method) {
		boolean optional = ResolvableType.forMethodReturnType(method).getGeneric().resolve() == Optional.class;
		return CompletableFuture.completedFuture(optional ? Optional.empty() : null);
	}

	private static void run(LockCall call, LockHandle handle, CompletableFuture<@Nullable Object> result) {
		CompletableFuture<?> stage = start(() -> held(call, handle).runWith(LockContext.capture().with(handle)));
		OnLost onLost = call.operation().onLost();
		if (onLost == OnLost.INTERRUPT) {
			handle.onLost((loss) -> stage.cancel(true));
		}
		result.whenComplete((ignored, failure) -> {
			if (result.isCancelled()) {
				stage.cancel(true);
			}
		});
		stage.whenComplete((value, failure) -> {
			Throwable outcome = (onLost != OnLost.REPORT) ? lossOr(failure, handle) : failure;
			handle.closeAsync().whenComplete((ignored, never) -> settle(result, value, outcome));
		});
	}

	private static MethodBody held(LockCall call, LockHandle handle) {
		return () -> call.proceed(handle);
	}

	private static CompletableFuture<?> start(MethodBody method) {
		try {
			Object stage = method.run();
			return (stage != null) ? ((CompletionStage<?>) stage).toCompletableFuture()
					: CompletableFuture.completedFuture(null);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static @Nullable Throwable lossOr(@Nullable Throwable failure, LockHandle handle) {
		try {
			handle.ensureHeld();
			return failure;
		}
		catch (LockException ex) {
			if (failure != null) {
				ex.addSuppressed(failure);
			}
			return ex;
		}
	}

	private static void settle(CompletableFuture<@Nullable Object> result, @Nullable Object value,
			@Nullable Throwable failure) {
		if (failure != null) {
			result.completeExceptionally(unwrap(failure));
		}
		else {
			result.complete(value);
		}
	}

	private static LockException refusal(Throwable failure) throws Throwable {
		Throwable cause = unwrap(failure);
		if (cause instanceof LockException refusal) {
			return refusal;
		}
		throw cause;
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
