package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the annotated methods that a thread is inside of. A transaction that
 * commits there is one that began under them.
 *
 * @param handle the locks of the innermost method
 * @param outer the methods around it
 */
record RunningLocks(LockHandle handle, @Nullable RunningLocks outer) {

	private static final ThreadLocal<@Nullable RunningLocks> CURRENT = new ThreadLocal<>();

	/**
	 * Run a method.
	 */
	static @Nullable Object run(LockHandle handle, MethodBody method) throws Throwable {
		RunningLocks before = CURRENT.get();
		CURRENT.set(new RunningLocks(handle, before));
		try {
			return method.run();
		}
		finally {
			if (before != null) {
				CURRENT.set(before);
			}
			else {
				CURRENT.remove();
			}
		}
	}

	/**
	 * Check them all.
	 * @throws io.distributedlock.LockLostException if one was lost
	 */
	static void ensureHeld() {
		for (RunningLocks each = CURRENT.get(); each != null; each = each.outer) {
			if (!each.handle.isClosed()) {
				each.handle.ensureHeld();
			}
		}
	}

}
