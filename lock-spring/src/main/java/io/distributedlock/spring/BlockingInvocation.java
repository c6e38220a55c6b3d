package io.distributedlock.spring;

import java.lang.reflect.Method;
import java.util.Optional;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Holds the locks until the method returns, on the caller's thread.
 */
final class BlockingInvocation implements LockedInvocation {

	@Override
	public @Nullable Object invoke(LockCall call) throws Throwable {
		LockHandle handle;
		try {
			handle = call.acquire();
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			return call.otherwise(ex);
		}
		boolean keptForTransaction = false;
		Throwable failure = null;
		try {
			keptForTransaction = call.operation().release().deferredToTransaction(handle, call.invocation());
			return LossGuard.run(call.operation().onLost(), handle, () -> call.proceed(handle));
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			if (!keptForTransaction) {
				handle.close(failure);
			}
		}
	}

	@Override
	public boolean canSkip(Method method) {
		return method.getReturnType() == void.class || !method.getReturnType().isPrimitive();
	}

	@Override
	public @Nullable Object skipped(Method method) {
		return (method.getReturnType() == Optional.class) ? Optional.empty() : null;
	}

}
