package io.distributedlock.spring.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.spring.support.MethodBody;
import io.distributedlock.spring.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, and who gives them back: the call at its end, or the transaction
 * that it was made in at its end. Internal: public only for the other packages of this
 * module.
 */
public final class CallLocks {

	private final LockHandle handle;

	private final LockRelease release;

	private volatile @Nullable Keeper keeper;

	/**
	 * Create the locks of a call.
	 * @param handle the locks
	 * @param release who gives them back
	 */
	public CallLocks(LockHandle handle, LockRelease release) {
		this.handle = handle;
		this.release = release;
	}

	/**
	 * Return the locks.
	 * @return the handle
	 */
	public LockHandle handle() {
		return this.handle;
	}

	/**
	 * Return whether a transaction is rolled back if these were lost before its commit.
	 * @return whether a commit depends on these
	 */
	public boolean verifyBeforeCommit() {
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
	 * Keep these until the transaction of this thread has been committed or rolled back,
	 * if the call was made in one.
	 */
	public void keepForTransaction() {
		if (OptionalLibraries.TRANSACTIONS) {
			TransactionLocks.keep(this);
		}
	}

	/**
	 * Called where the method itself begins, inside of a transaction of its own: that is
	 * rolled back if these were lost before its commit.
	 */
	public void checkOwnTransaction() {
		TransactionLocks.checkOwn(this);
	}

	/**
	 * Run the method where transactions that begin on this thread are checked for these.
	 * @param method the method
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	public @Nullable Object run(MethodBody method) throws Throwable {
		return verifyBeforeCommit() ? RunningLocks.run(this.handle, method) : method.run();
	}

	/**
	 * Leave it to a transaction to give these back.
	 */
	void keepFor(Keeper transaction) {
		transaction.keep(this.handle);
		this.keeper = transaction;
	}

	/**
	 * Return whether a transaction gives these back.
	 * @return whether the end of the call leaves them as they are
	 */
	public boolean isKept() {
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
