package io.distributedlock.spring;

import io.distributedlock.LockHandle;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ties locks to the transaction of a thread. A lock belongs to the transaction that is
 * active when it is acquired: one that is suspended meanwhile has its own, and a
 * savepoint has none.
 */
final class TransactionLocks {

	private TransactionLocks() {
	}

	/**
	 * Keep a lock until the transaction of this thread has been committed or rolled back.
	 * @param verify whether to roll it back if the lease was lost
	 * @return {@code false} if there is no transaction
	 */
	static boolean keepUntilCompletion(LockHandle handle, boolean verify) {
		if (!isActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionLock(handle, verify, true));
		return true;
	}

	/**
	 * Roll the transaction of this thread back if the lease was lost before its commit.
	 */
	static void verifyBeforeCommit(LockHandle handle) {
		if (isActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionLock(handle, true, false));
		}
	}

	private static boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Last before the commit, and last after the completion.
	 */
	private record TransactionLock(LockHandle handle, boolean verify,
			boolean release) implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (this.verify && !this.handle.isClosed()) {
				this.handle.ensureHeld();
			}
		}

		@Override
		public void afterCompletion(int status) {
			if (this.release) {
				this.handle.close();
			}
		}

	}

}
