package io.distributedlock.spring.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.spring.support.MethodBody;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the annotated methods that a thread is inside of. A transaction that
 * commits there is one that began under them. Internal: public only for the other
 * packages of this module.
 *
 * @param handle the locks of the innermost method
 * @param outer the methods around it
 */
public record RunningLocks(LockHandle handle, @Nullable RunningLocks outer) {

	/**
	 * Those of each thread.
	 */
	public static final ThreadLocal<@Nullable RunningLocks> CURRENT = new ThreadLocal<>();

	/**
	 * Return those of this thread.
	 * @return the locks, {@code null} for none
	 */
	public static @Nullable RunningLocks current() {
		return CURRENT.get();
	}

	/**
	 * Run a method.
	 */
	static @Nullable Object run(LockHandle handle, MethodBody method) throws Throwable {
		return runWith(new RunningLocks(handle, current()), method);
	}

	/**
	 * Run a method under these locks only.
	 * @param locks the locks, {@code null} for none
	 * @param method the method
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	public static @Nullable Object runWith(@Nullable RunningLocks locks, MethodBody method) throws Throwable {
		RunningLocks before = current();
		set(locks);
		try {
			return method.run();
		}
		finally {
			set(before);
		}
	}

	/**
	 * Do something under these locks only.
	 * @param locks the locks, {@code null} for none
	 * @param work what to do
	 */
	public static void runWith(@Nullable RunningLocks locks, Runnable work) {
		RunningLocks before = current();
		set(locks);
		try {
			work.run();
		}
		finally {
			set(before);
		}
	}

	private static void set(@Nullable RunningLocks locks) {
		if (locks != null) {
			CURRENT.set(locks);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Check those of this thread.
	 * @throws io.distributedlock.LockLostException if one was lost
	 */
	static void ensureHeld() {
		RunningLocks current = current();
		if (current != null) {
			current.ensureAllHeld();
		}
	}

	/**
	 * Check these and those around them.
	 * @throws io.distributedlock.LockLostException if one was lost
	 */
	void ensureAllHeld() {
		for (RunningLocks each = this; each != null; each = each.outer) {
			if (!each.handle.isClosed()) {
				each.handle.ensureHeld();
			}
		}
	}

}
