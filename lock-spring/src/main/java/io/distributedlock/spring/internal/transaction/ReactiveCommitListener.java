package io.distributedlock.spring.internal.transaction;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stops the commit of a reactive transaction that began under a lock which was lost, for
 * methods that are no Reactor chain: a method that blocks until the transaction has
 * ended, or turns it into a future or a type of RxJava. Such a transaction belongs to the
 * locks of the thread that it begins on. The transactions of chains are checked by
 * {@link CommitCheckContext}.
 * <p>
 * Why: docs/decisions/020-commit-check.md
 */
final class ReactiveCommitListener implements TransactionExecutionListener {

	static final ReactiveCommitListener INSTANCE = new ReactiveCommitListener();

	/**
	 * The locks that each transaction began under. No listener method is called for one
	 * that was cancelled while it began, so that it is removed when it is garbage.
	 */
	private final Map<TransactionExecution, EnclosingLocks> locks = Collections.synchronizedMap(new WeakHashMap<>());

	private ReactiveCommitListener() {
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		EnclosingLocks enclosing = EnclosingLocks.current();
		if (enclosing != null) {
			this.locks.put(transaction, enclosing);
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure != null) {
			this.locks.remove(transaction);
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		EnclosingLocks enclosing = this.locks.remove(transaction);
		if (enclosing != null) {
			enclosing.ensureAllHeld();
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		this.locks.remove(transaction);
	}

}
