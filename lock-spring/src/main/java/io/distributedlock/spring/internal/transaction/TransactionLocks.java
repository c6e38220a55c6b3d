package io.distributedlock.spring.internal.transaction;

import java.util.ArrayDeque;
import java.util.Deque;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks of one transaction of a thread. A lock belongs to the transaction that is
 * active when it is acquired. A suspended transaction has locks of its own, and a
 * savepoint has none.
 * <p>
 * The locks are released after everything else that happens after the completion, such as
 * {@code AFTER_COMMIT} listeners. For this, a second synchronization is registered as
 * late as possible, before the completion, when normally no other one follows.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
final class TransactionLocks implements TransactionSynchronization, CallLocks.Keeper {

	private static final Object KEY = TransactionLocks.class;

	/**
	 * The innermost first. They are released in this order, so that each is the innermost
	 * of its thread then.
	 */
	private final Deque<LockHandle> kept = new ArrayDeque<>();

	/**
	 * Further locks that the commit depends on.
	 */
	private final Deque<LockHandle> checked = new ArrayDeque<>();

	private final boolean verify;

	private boolean last;

	private TransactionLocks(boolean verify) {
		this.verify = verify;
	}

	/**
	 * Return the locks of this thread's transaction, {@code null} if it has none yet. A
	 * transaction that another thread completes, as some containers do, leaves its locks
	 * bound to this one.
	 */
	static @Nullable TransactionLocks find() {
		TransactionLocks bound = (TransactionLocks) TransactionSynchronizationManager.getResource(KEY);
		return (bound != null && TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations().contains(bound)) ? bound : null;
	}

	/**
	 * Keep locks until the transaction of this thread has been committed or rolled back,
	 * if there is one.
	 */
	static void keep(CallLocks locks) {
		if (locks.afterTransaction() && isActive()) {
			locks.keepFor(current(locks));
		}
	}

	/**
	 * Called when the method itself begins: a transaction that it starts is rolled back
	 * if its locks were lost before the commit. This works also if the transaction
	 * manager takes no listeners.
	 */
	static void checkOwn(CallLocks locks) {
		locks.methodRunsIn(find());
		if (!locks.isKept() && locks.verifyBeforeCommit() && isActive()) {
			Deque<LockHandle> checked = current(locks).checked;
			// the locks of methods that have ended inside of the transaction
			checked.removeIf(LockHandle::isClosed);
			checked.push(locks.handle());
		}
	}

	private static boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	private static TransactionLocks current(CallLocks locks) {
		TransactionLocks known = find();
		if (known != null) {
			return known;
		}
		TransactionLocks transaction = new TransactionLocks(locks.verifyBeforeCommit());
		TransactionSynchronizationManager.registerSynchronization(transaction);
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
		TransactionSynchronizationManager.bindResource(KEY, transaction);
		return transaction;
	}

	@Override
	public boolean keep(LockHandle handle) {
		this.kept.push(handle);
		return true;
	}

	@Override
	public void forget(LockHandle handle) {
		this.kept.removeFirstOccurrence(handle);
	}

	/**
	 * Check all locks.
	 * @throws io.distributedlock.LockLostException if one was lost
	 */
	void ensureHeld() {
		if (this.verify) {
			this.kept.forEach(EnclosingLocks::ensureHeld);
			this.checked.forEach(EnclosingLocks::ensureHeld);
		}
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResource(KEY);
	}

	@Override
	public void resume() {
		TransactionSynchronizationManager.bindResource(KEY, this);
	}

	/**
	 * Check also here, for transaction managers that have no listeners.
	 */
	@Override
	public void beforeCommit(boolean readOnly) {
		ensureHeld();
	}

	@Override
	public void beforeCompletion() {
		if (!this.last) {
			this.last = true;
			TransactionSynchronizationManager.registerSynchronization(new Last(this));
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (!this.last) {
			release();
		}
	}

	private void release() {
		if (TransactionSynchronizationManager.getResource(KEY) == this) {
			TransactionSynchronizationManager.unbindResource(KEY);
		}
		RuntimeException failure = null;
		for (LockHandle next = this.kept.poll(); next != null; next = this.kept.poll()) {
			try {
				next.close();
			}
			catch (RuntimeException ex) {
				failure = (failure != null) ? failure : ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * Releases the locks. Of several synchronizations with the lowest precedence, the one
	 * that was registered last runs last.
	 */
	private record Last(TransactionLocks locks) implements TransactionSynchronization {

		@Override
		public void afterCompletion(int status) {
			this.locks.release();
		}

	}

}
