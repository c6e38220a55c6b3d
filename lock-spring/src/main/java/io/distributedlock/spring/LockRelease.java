package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.ReleaseTime;
import org.aopalliance.intercept.MethodInvocation;

/**
 * When locks are given back: after the method, or after a transaction that the caller is
 * in. Without Spring's transactions on the class path it is always the former.
 *
 * @param afterTransaction whether to wait for the end of the caller's transaction
 * @param verifyBeforeCommit whether a transaction is rolled back if the lease was lost
 */
record LockRelease(boolean afterTransaction, boolean verifyBeforeCommit) {

	static LockRelease of(LockAttributes attributes, DistributedLockSettings settings) {
		ReleaseTime chosen = attributes.choice("release", ReleaseTime.class);
		ReleaseTime effective = (chosen != ReleaseTime.DEFAULT) ? chosen : settings.release();
		return new LockRelease(OptionalLibraries.TRANSACTIONS && effective != ReleaseTime.AFTER_METHOD,
				OptionalLibraries.TRANSACTIONS && settings.verifyBeforeCommit());
	}

	/**
	 * Leave the release of locks to the transaction that this thread is in, if it is in
	 * one. If not, note them for the check before the commit of a transaction that the
	 * method itself starts.
	 * @return {@code true} if the caller need not give them back
	 */
	boolean deferredToTransaction(LockHandle handle, MethodInvocation call) {
		if (this.afterTransaction && TransactionLocks.keepUntilCompletion(handle, this.verifyBeforeCommit)) {
			return true;
		}
		noteForOwnTransaction(handle, call);
		return false;
	}

	/**
	 * Note locks for the check before the commit of a transaction that the method itself
	 * starts.
	 */
	void noteForOwnTransaction(LockHandle handle, MethodInvocation call) {
		if (this.verifyBeforeCommit) {
			CommitCheckInterceptor.note(handle, call);
		}
	}

}
