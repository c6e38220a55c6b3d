package io.distributedlock.spring.invocation;

import io.distributedlock.LockContext;
import io.distributedlock.spring.support.MethodBody;
import io.distributedlock.spring.transaction.CallLocks;
import io.distributedlock.spring.transaction.RunningLocks;
import org.jspecify.annotations.Nullable;

/**
 * What code on a thread finds of the locks that it runs under.
 *
 * @param context what it may re-enter
 * @param running what a transaction that begins there is checked for
 */
record ThreadLocks(LockContext context, @Nullable RunningLocks running) {

	/**
	 * Return these and the locks of a method inside of them.
	 */
	ThreadLocks with(CallLocks locks) {
		return new ThreadLocks(this.context.with(locks.handle()),
				locks.verifyBeforeCommit() ? new RunningLocks(locks.handle(), this.running) : this.running);
	}

	/**
	 * Run a method where it finds these.
	 */
	@Nullable Object call(MethodBody method) throws Throwable {
		return RunningLocks.runWith(this.running, () -> method.runWith(this.context));
	}

	/**
	 * Do something where it finds these.
	 */
	void run(Runnable work) {
		RunningLocks.runWith(this.running, this.context.wrap(work));
	}

}
