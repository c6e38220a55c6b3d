package io.distributedlock.spring.internal.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.spring.internal.support.MethodBody;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the annotated methods that a thread is inside of. A transaction that
 * commits there began under them.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 *
 * @param handle the locks of the innermost method
 * @param outer the locks of the methods around it, {@code null} for none
 */
public record EnclosingLocks(LockHandle handle, @Nullable EnclosingLocks outer) {

	/**
	 * The locks of each thread.
	 */
	public static final ThreadLocal<@Nullable EnclosingLocks> CURRENT = new ThreadLocal<>();

	/**
	 * Return the locks of this thread.
	 * @return the locks, {@code null} for none
	 */
	public static @Nullable EnclosingLocks current() {
		return CURRENT.get();
	}

	/**
	 * Run a method under these locks only.
	 * @param locks the locks, {@code null} for none
	 * @param method the method
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	public static @Nullable Object runWith(@Nullable EnclosingLocks locks, MethodBody method) throws Throwable {
		EnclosingLocks before = current();
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
	public static void runWith(@Nullable EnclosingLocks locks, Runnable work) {
		EnclosingLocks before = current();
		set(locks);
		try {
			work.run();
		}
		finally {
			set(before);
		}
	}

	private static void set(@Nullable EnclosingLocks locks) {
		if (locks != null) {
			CURRENT.set(locks);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Check these locks and those of the methods around.
	 * @throws io.distributedlock.LockLostException if one was lost
	 */
	void ensureAllHeld() {
		for (EnclosingLocks each = this; each != null; each = each.outer) {
			ensureHeld(each.handle);
		}
	}

	/**
	 * Check a lock, unless it has been released: its method has ended inside of its
	 * caller's transaction.
	 * @throws io.distributedlock.LockLostException if it was lost
	 */
	static void ensureHeld(LockHandle handle) {
		if (!handle.isClosed()) {
			handle.ensureHeld();
		}
	}

}
