package io.distributedlock.spring.transaction;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Has no reactive transaction commit without the locks of a method that is no chain: one
 * that waits for the transaction, or makes a future or a type of RxJava of it. Such a
 * transaction is known by the thread that it begins on, those of chains by their
 * {@link LockedContext}.
 */
final class LostLockReactiveListener implements TransactionExecutionListener {

	static final LostLockReactiveListener INSTANCE = new LostLockReactiveListener();

	/**
	 * What each transaction began under.
	 */
	private final Map<Begun, RunningLocks> locks = new ConcurrentHashMap<>();

	/**
	 * Those that were cancelled while they began, of which nobody is told.
	 */
	private final ReferenceQueue<TransactionExecution> forgotten = new ReferenceQueue<>();

	private LostLockReactiveListener() {
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		for (Reference<?> each = this.forgotten.poll(); each != null; each = this.forgotten.poll()) {
			this.locks.remove(each);
		}
		RunningLocks running = RunningLocks.current();
		if (running != null) {
			this.locks.put(new Begun(transaction, this.forgotten), running);
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
		RunningLocks running = this.locks.remove(new Begun(transaction, null));
		if (running != null) {
			running.ensureAllHeld();
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		this.locks.remove(new Begun(transaction, null));
	}

	/**
	 * A transaction, which is compared as the object that it is.
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
