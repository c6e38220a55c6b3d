package io.distributedlock.spring.invocation;

import io.distributedlock.LockContext;
import io.distributedlock.spring.support.OptionalLibraries;
import io.distributedlock.spring.transaction.CallLocks;
import io.distributedlock.spring.transaction.ReactiveTransactionLocks;
import io.distributedlock.spring.transaction.RunningLocks;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks of a reactive chain, in its subscriber context.
 */
final class LockContexts {

	/**
	 * The locks of the innermost method, which the transaction that it starts has to
	 * check.
	 */
	private static final Object TO_CHECK = new Object();

	/**
	 * What a transaction that begins on a thread of the chain is checked for.
	 */
	private static final Object RUNNING = RunningLocks.class;

	private LockContexts() {
	}

	/**
	 * Return the locks of a chain, or else those of the subscribing thread.
	 */
	static LockContext of(ContextView context) {
		LockContext inChain = context.getOrDefault(LockContext.class, null);
		return (inChain != null) ? inChain : LockContext.capture();
	}

	/**
	 * Return what a call may re-enter: the locks of its chain, and those that the
	 * transaction of the chain keeps for methods that have ended.
	 */
	static LockContext toReenter(ContextView context) {
		return OptionalLibraries.TRANSACTIONS ? ReactiveTransactionLocks.addKept(of(context), context) : of(context);
	}

	/**
	 * Return what code on the thread of a chain finds: the locks of the chain, or else
	 * those of the subscribing thread.
	 */
	static ThreadLocks onThread(ContextView context) {
		RunningLocks inChain = context.getOrDefault(RUNNING, null);
		return new ThreadLocks(of(context), (inChain != null) ? inChain : RunningLocks.current());
	}

	static Context put(Context context, ThreadLocks locks, CallLocks ofMethod) {
		Context inner = context.put(LockContext.class, locks.context()).put(TO_CHECK, ofMethod);
		if (locks.running() != null) {
			inner = inner.put(RUNNING, locks.running());
		}
		return ofMethod.verifyBeforeCommit() ? ReactiveTransactionLocks.checkedFor(inner, ofMethod.handle()) : inner;
	}

	/**
	 * Return the context of a method that runs without locks: a transaction that it
	 * starts has nothing to do with those of the method around it.
	 */
	static Context withoutCheck(Context context) {
		return context.delete(TO_CHECK);
	}

	static @Nullable CallLocks toCheck(ContextView context) {
		return context.getOrDefault(TO_CHECK, null);
	}

}
