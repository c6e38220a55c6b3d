package io.distributedlock.spring.transaction;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Has no transaction commit that began under a lock which was lost. It is asked behind
 * all synchronizations, as the last before the commit: for the transaction of a locked
 * method, of any bean that it calls, and of a template.
 */
final class LostLockListener implements TransactionExecutionListener {

	static final LostLockListener INSTANCE = new LostLockListener();

	private LostLockListener() {
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		TransactionLocks kept = TransactionLocks.find();
		if (kept != null) {
			kept.ensureHeld();
		}
		RunningLocks.ensureHeld();
	}

}
