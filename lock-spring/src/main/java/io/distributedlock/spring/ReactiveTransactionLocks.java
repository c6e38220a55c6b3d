package io.distributedlock.spring;

import io.distributedlock.LockHandle;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Ties locks to the transaction of a reactive chain, as {@link TransactionLocks} does to
 * that of a thread.
 */
final class ReactiveTransactionLocks {

	private ReactiveTransactionLocks() {
	}

	/**
	 * Keep a lock until the transaction of the chain has been committed or rolled back.
	 * @param verify whether to roll it back if the lease was lost
	 * @return gives {@code false} if there is no transaction
	 */
	static Mono<Boolean> keepUntilCompletion(LockHandle handle, boolean verify) {
		return register(new TransactionLock(handle, verify, true));
	}

	/**
	 * Roll the transaction of the chain back if the lease was lost before its commit.
	 */
	static Mono<Boolean> verifyBeforeCommit(LockHandle handle) {
		return register(new TransactionLock(handle, true, false));
	}

	private static Mono<Boolean> register(TransactionLock lock) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((transaction) -> transaction.isSynchronizationActive() && transaction.isActualTransactionActive())
			.map((transaction) -> {
				transaction.registerSynchronization(lock);
				return true;
			})
			.onErrorReturn(NoTransactionException.class, false)
			.defaultIfEmpty(false);
	}

	private record TransactionLock(LockHandle handle, boolean verify,
			boolean release) implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.fromRunnable(() -> {
				if (this.verify && !this.handle.isClosed()) {
					this.handle.ensureHeld();
				}
			});
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return this.release ? Mono.defer(() -> Mono.fromFuture(this.handle.closeAsync()).then()) : Mono.empty();
		}

	}

}
