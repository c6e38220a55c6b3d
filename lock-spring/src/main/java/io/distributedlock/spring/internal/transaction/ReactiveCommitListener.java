package io.distributedlock.spring.internal.transaction;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
	 * The locks that each transaction began under.
	 */
	private final Map<Begun, EnclosingLocks> locks = new ConcurrentHashMap<>();

	/**
	 * Transactions that were cancelled while they began: no listener method is called for
	 * them, so they are removed when they are garbage.
	 */
	private final ReferenceQueue<TransactionExecution> forgotten = new ReferenceQueue<>();

	private ReactiveCommitListener() {
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		for (Reference<?> each = this.forgotten.poll(); each != null; each = this.forgotten.poll()) {
			this.locks.remove(each);
		}
		EnclosingLocks enclosing = EnclosingLocks.current();
		if (enclosing != null) {
			this.locks.put(new Begun(transaction, this.forgotten), enclosing);
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		if (failure != null) {
			this.locks.remove(new Begun(transaction, null));
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		EnclosingLocks enclosing = this.locks.remove(new Begun(transaction, null));
		if (enclosing != null) {
			enclosing.ensureAllHeld();
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		this.locks.remove(new Begun(transaction, null));
	}

	/**
	 * A transaction, compared by identity.
	 */
	private static final class Begun extends WeakReference<TransactionExecution> {

		private final int hash;

		private Begun(TransactionExecution transaction, @Nullable ReferenceQueue<TransactionExecution> queue) {
			super(transaction, queue);
			this.hash = System.identityHashCode(transaction);
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			TransactionExecution transaction = get();
			return this == other || (transaction != null && other instanceof Begun begun && begun.get() == transaction);
		}

	}

}
