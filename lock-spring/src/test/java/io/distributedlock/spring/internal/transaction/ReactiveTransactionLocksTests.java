package io.distributedlock.spring.internal.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.r2dbc.spi.ConnectionFactories;
import org.junit.jupiter.api.Test;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

class ReactiveTransactionLocksTests {

	private static final TransactionRules RULES = new TransactionRules(true, true,
			new SnapshotWarning(Object.class.getMethods()[0], false));

	/**
	 * A call of its chain may get its lock on another thread while the transaction ends.
	 */
	@Test
	void transactionThatHasEndedKeepsNoLock() {
		TransactionalOperator transaction = TransactionalOperator
			.create(new R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///ended")));
		try (DefaultLockTemplate template = DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
				LockHandle inTime = template.acquire("in-time");
				LockHandle late = template.acquire("late")) {
			ReactiveTransactionLocks keeper = ReactiveTransactionLocks.keep(new CallLocks(inTime, RULES))
				.then(TransactionSynchronizationManager.forCurrentTransaction())
				.map((current) -> (ReactiveTransactionLocks) current.getResource(ReactiveTransactionLocks.class))
				.as(transaction::transactional)
				.block();
			assertThat(inTime.isClosed()).isTrue();
			CallLocks locks = new CallLocks(late, RULES);
			locks.keepFor(keeper);
			assertThat(locks.isKept()).as("the call releases it").isFalse();
		}
	}

}
