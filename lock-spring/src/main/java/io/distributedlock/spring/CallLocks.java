package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, and who gives them back: the call at its end, or the transaction
 * that it was made in at its end.
 */
final class CallLocks {

	private final LockHandle handle;

	private final LockRelease release;

	private volatile @Nullable Keeper keeper;

	CallLocks(LockHandle handle, LockRelease release) {
		this.handle = handle;
		this.release = release;
	}

	LockHandle handle() {
		return this.handle;
	}

	/**
	 * Return whether a transaction is rolled back if these were lost before its commit.
	 */
	boolean verifyBeforeCommit() {
		return this.release.verifyBeforeCommit();
	}

	/**
	 * Return whether these are kept until the end of the transaction that the method was
	 * called in.
	 */
	boolean afterTransaction() {
		return this.release.afterTransaction();
	}

	/**
	 * Leave it to a transaction to give these back.
	 */
	void keepFor(Keeper transaction) {
		transaction.keep(this.handle);
		this.keeper = transaction;
	}

	boolean isKept() {
		return this.keeper != null;
	}

	/**
	 * Called where the method itself begins. One that runs in a transaction of its own,
	 * or in none, gives its locks back when it ends.
	 * @param current the locks of the transaction that it runs in, if it has any
	 */
	void methodRunsIn(@Nullable Keeper current) {
		Keeper outer = this.keeper;
		if (outer != null && outer != current) {
			this.keeper = null;
			outer.forget(this.handle);
		}
	}

	/**
	 * Gives locks back when a transaction has ended.
	 */
	interface Keeper {

		void keep(LockHandle handle);

		void forget(LockHandle handle);

	}

}
