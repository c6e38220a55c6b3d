package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spring.internal.returntype.AsynchronousTypes;
import io.distributedlock.spring.internal.returntype.ReturnType;
import io.distributedlock.spring.internal.transaction.CallLocks;
import org.jspecify.annotations.Nullable;

/**
 * Runs the method on the caller's thread and holds the locks until it returns.
 *
 * @param returned what the method returns
 */
record BlockingInvocation(ReturnType returned) implements LockedInvocation {

	@Override
	public @Nullable Object invoke(AnnotatedCall call) throws Throwable {
		LockHandle handle;
		try {
			handle = call.acquire();
		}
		catch (LockNotAcquiredException | LockUnavailableException ex) {
			return call.otherwise(ex);
		}
		CallLocks locks = new CallLocks(handle, call.rules().transaction());
		Throwable failure = null;
		try {
			locks.keepForTransaction();
			return AsynchronousTypes
				.requireEnded(LossGuard.run(call.rules().onLost(), handle, () -> call.proceed(locks)), call::method);
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			if (!locks.isKept()) {
				handle.close(failure);
			}
			else if (!call.isWoven()) {
				locks.checkSnapshot();
			}
		}
	}

	@Override
	public boolean canSkip() {
		return this.returned.hasEmpty();
	}

	@Override
	public @Nullable Object skipped() {
		return ReturnType.empty(this.returned.type());
	}

}
