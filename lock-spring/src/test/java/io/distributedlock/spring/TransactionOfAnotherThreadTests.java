package io.distributedlock.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A container may complete a transaction on another thread, later. Each transaction
 * releases its own locks, also if the first thread has begun the next one meanwhile.
 */
class TransactionOfAnotherThreadTests {

	private final RecordingProvider provider = new RecordingProvider();

	private final Container container = new Container();

	@Test
	void eachTransactionReleasesItsLocks() throws Exception {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Orders.class)) {
			Orders orders = context.getBean(Orders.class);
			TransactionTemplate transaction = new TransactionTemplate(this.container);
			transaction.executeWithoutResult((status) -> orders.settle("1"));
			transaction.executeWithoutResult((status) -> orders.settle("2"));
			assertThat(this.provider.events()).containsExactly("acquire t:orders:1", "acquire t:orders:2");
			this.container.completeNext();
			assertThat(this.provider.events()).last().isEqualTo("release t:orders:1");
			transaction.executeWithoutResult((status) -> orders.settle("3"));
			this.container.completeNext();
			assertThat(this.provider.events()).last().isEqualTo("release t:orders:2");
			this.container.completeNext();
			assertThat(this.provider.events()).last().isEqualTo("release t:orders:3");
		}
	}

	static class Orders {

		@DistributedLock(name = "orders", key = "#id")
		public void settle(String id) {
		}

	}

	/**
	 * Takes part in transactions that its own threads complete.
	 */
	private static final class Container extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient List<List<TransactionSynchronization>> open = new ArrayList<>();

		void completeNext() throws Exception {
			List<TransactionSynchronization> next = this.open.remove(0);
			CompletableFuture
				.runAsync(() -> invokeAfterCompletion(next, TransactionSynchronization.STATUS_COMMITTED),
						(task) -> new Thread(task).start())
				.get(Patience.SECONDS, TimeUnit.SECONDS);
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return true;
		}

		@Override
		protected void registerAfterCompletionWithExistingTransaction(Object transaction,
				List<TransactionSynchronization> synchronizations) {
			this.open.add(List.copyOf(synchronizations));
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
