package io.distributedlock.spring;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks of a reactive chain, in its subscriber context.
 */
final class LockContexts {

	/**
	 * The locks that a transaction which starts inside of them has to check.
	 */
	private static final Object TO_CHECK = new Object();

	private LockContexts() {
	}

	/**
	 * Return the locks of a chain, or else those of the subscribing thread.
	 */
	static LockContext of(ContextView context) {
		LockContext inChain = context.getOrDefault(LockContext.class, null);
		return (inChain != null) ? inChain : LockContext.capture();
	}

	static Context put(Context context, LockContext locks, boolean checkBeforeCommit) {
		Context changed = context.put(LockContext.class, locks);
		LockHandle handle = locks.innermost().orElse(null);
		return (checkBeforeCommit && handle != null) ? changed.put(TO_CHECK, handle) : changed.delete(TO_CHECK);
	}

	static @Nullable LockHandle toCheck(ContextView context) {
		return context.getOrDefault(TO_CHECK, null);
	}

}
