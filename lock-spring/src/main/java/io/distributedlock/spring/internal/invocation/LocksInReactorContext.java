package io.distributedlock.spring.internal.invocation;

import io.distributedlock.LockContext;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import io.distributedlock.spring.internal.transaction.CallLocks;
import io.distributedlock.spring.internal.transaction.CommitCheckContext;
import io.distributedlock.spring.internal.transaction.EnclosingLocks;
import io.distributedlock.spring.internal.transaction.ReactiveTransactionLocks;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Reads and writes the locks of a reactive chain in its Reactor context.
 */
final class LocksInReactorContext {

	/**
	 * The key of the locks of the innermost method, which are checked before the commit
	 * of a transaction that it starts.
	 */
	private static final Object TO_CHECK = new Object();

	/**
	 * The key of the locks that a transaction which begins on a thread of the chain
	 * depends on.
	 */
	private static final Object ENCLOSING = EnclosingLocks.class;

	private LocksInReactorContext() {
	}

	/**
	 * Return the locks of a chain; if it has none, those of the subscribing thread.
	 */
	static LockContext of(ContextView context) {
		LockContext inChain = context.getOrDefault(LockContext.class, null);
		return (inChain != null) ? inChain : LockContext.capture();
	}

	/**
	 * Return the locks that a call may re-enter: those of its chain, and those of ended
	 * methods that the transaction of the chain still keeps.
	 */
	static LockContext toReenter(ContextView context) {
		return OptionalLibraries.TRANSACTIONS ? ReactiveTransactionLocks.addKept(of(context), context) : of(context);
	}

	/**
	 * Return the scope of code on a thread of the chain: the locks of the chain; if it
	 * has none, those of the subscribing thread.
	 */
	static LockScope onThread(ContextView context) {
		EnclosingLocks inChain = context.getOrDefault(ENCLOSING, null);
		return new LockScope(of(context), (inChain != null) ? inChain : EnclosingLocks.current());
	}

	static Context put(Context context, LockScope scope, CallLocks ofMethod) {
		Context inner = context.put(LockContext.class, scope.context()).put(TO_CHECK, ofMethod);
		if (scope.enclosing() != null) {
			inner = inner.put(ENCLOSING, scope.enclosing());
		}
		return ofMethod.verifyBeforeCommit() ? CommitCheckContext.of(inner, ofMethod.handle()) : inner;
	}

	/**
	 * Return the context of a method that runs without locks: a transaction that it
	 * starts does not depend on the locks of the method around it.
	 */
	static Context withoutCheck(Context context) {
		return context.delete(TO_CHECK);
	}

	static @Nullable CallLocks toCheck(ContextView context) {
		return context.getOrDefault(TO_CHECK, null);
	}

}
