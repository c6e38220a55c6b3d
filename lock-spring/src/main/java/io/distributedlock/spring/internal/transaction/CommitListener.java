package io.distributedlock.spring.internal.transaction;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stops the commit of a transaction that began under a lock which was lost. It is called
 * after all synchronizations, as the last step before the commit: for the transaction of
 * a locked method, of any bean that the method calls, and of a
 * {@code TransactionTemplate}.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
final class CommitListener implements TransactionExecutionListener {

	static final CommitListener INSTANCE = new CommitListener();

	private CommitListener() {
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		TransactionLocks kept = TransactionLocks.find();
		if (kept != null) {
			kept.ensureHeld();
		}
		EnclosingLocks enclosing = EnclosingLocks.current();
		if (enclosing != null) {
			enclosing.ensureAllHeld();
		}
	}

}
