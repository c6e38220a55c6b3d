package io.distributedlock.spring.internal.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.spring.internal.support.MethodBody;
import io.distributedlock.spring.internal.support.OptionalLibraries;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, and who releases them: the call at its end, or the transaction
 * that the call was made in, at its end.
 * <p>
 * Why: docs/decisions/019-acquire-and-close-around-the-method.md
 */
public final class CallLocks {

	private final LockHandle handle;

	private final TransactionRules rules;

	private volatile @Nullable Keeper keeper;

	/**
	 * Create the locks of a call.
	 * @param handle the locks
	 * @param rules what they have to do with transactions
	 */
	public CallLocks(LockHandle handle, TransactionRules rules) {
		this.handle = handle;
		this.rules = rules;
	}

	/**
	 * Return the locks.
	 * @return the handle
	 */
	public LockHandle handle() {
		return this.handle;
	}

	/**
	 * Return whether a transaction is rolled back if these locks were lost before its
	 * commit.
	 * @return whether a commit depends on these locks
	 */
	public boolean verifyBeforeCommit() {
		return this.rules.verifyBeforeCommit();
	}

	/**
	 * Return whether these locks are kept until the end of the transaction that the
	 * method was called in.
	 */
	boolean afterTransaction() {
		return this.rules.afterTransaction();
	}

	/**
	 * Keep these locks until the transaction of this thread has been committed or rolled
	 * back, if the call was made in one.
	 */
	public void keepForTransaction() {
		if (OptionalLibraries.TRANSACTIONS) {
			TransactionLocks.keep(this);
		}
	}

	/**
	 * Called when the method itself begins, inside of a transaction that it starts: that
	 * transaction is rolled back if these locks were lost before its commit.
	 */
	public void checkOwnTransaction() {
		TransactionLocks.checkOwn(this);
	}

	/**
	 * Run the method. A transaction that begins on this thread meanwhile depends on these
	 * locks.
	 * @param method the method
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	public @Nullable Object run(MethodBody method) throws Throwable {
		return verifyBeforeCommit()
				? EnclosingLocks.runWith(new EnclosingLocks(this.handle, EnclosingLocks.current()), method)
				: method.run();
	}

	/**
	 * Let a transaction release these locks.
	 */
	void keepFor(Keeper transaction) {
		if (transaction.keep(this.handle)) {
			this.keeper = transaction;
		}
	}

	/**
	 * Return whether a transaction releases these locks.
	 * @return {@code false} if the call releases them at its end
	 */
	public boolean isKept() {
		return this.keeper != null;
	}

	/**
	 * Called when the method has run in the transaction that keeps these locks and began
	 * before them.
	 */
	public void checkSnapshot() {
		this.rules.snapshots().check(this.handle);
	}

	/**
	 * Called when the method itself begins. If it does not run in the transaction that
	 * keeps these locks, but in one of its own or in none, the call releases them at its
	 * end.
	 * @param current what keeps locks for the transaction that the method runs in,
	 * {@code null} if there is none
	 */
	void methodRunsIn(@Nullable Keeper current) {
		Keeper outer = this.keeper;
		if (outer != null && outer != current) {
			this.keeper = null;
			outer.forget(this.handle);
		}
	}

	/**
	 * Releases locks when a transaction has ended.
	 */
	interface Keeper {

		/**
		 * Keep a lock.
		 * @return {@code false} if the transaction has ended already
		 */
		boolean keep(LockHandle handle);

		void forget(LockHandle handle);

	}

}
