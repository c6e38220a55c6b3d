package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockContext;
import io.distributedlock.LockedCall;
import io.distributedlock.spring.internal.support.MethodBody;
import io.distributedlock.spring.internal.transaction.CallLocks;
import io.distributedlock.spring.internal.transaction.EnclosingLocks;
import org.jspecify.annotations.Nullable;

/**
 * The locks that code on a thread runs under, as that code finds them.
 *
 * @param context what it may re-enter
 * @param enclosing the locks that a transaction which begins there depends on
 */
record LockScope(LockContext context, @Nullable EnclosingLocks enclosing) {

	/**
	 * Return the scope of the code on this thread.
	 */
	static LockScope onThread() {
		return new LockScope(LockContext.capture(), EnclosingLocks.current());
	}

	/**
	 * Return the scope of a method that is called in this one.
	 */
	LockScope with(CallLocks locks) {
		return new LockScope(this.context.with(locks.handle()),
				locks.verifyBeforeCommit() ? new EnclosingLocks(locks.handle(), this.enclosing) : this.enclosing);
	}

	/**
	 * Run a method in this scope.
	 */
	// the checker does not follow a nullable type argument into a functional interface
	@SuppressWarnings("NullAway")
	@Nullable Object call(MethodBody method) throws Throwable {
		LockedCall<@Nullable Object, Throwable> call = method::run;
		return EnclosingLocks.runWith(this.enclosing, () -> this.context.call(call));
	}

	/**
	 * Do something in this scope.
	 */
	void run(Runnable work) {
		EnclosingLocks.runWith(this.enclosing, this.context.wrap(work));
	}

}
