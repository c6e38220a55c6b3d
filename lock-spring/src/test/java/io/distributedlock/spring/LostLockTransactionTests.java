package io.distributedlock.spring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A transaction that began under a lock does not commit if the lock was lost, whichever
 * code began it. The key is free when everything that belongs to the transaction is over.
 */
class LostLockTransactionTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(TransactionReleaseTests.Config.class);
		context.registerBean(Ledger.class);
		context.registerBean(Warehouse.class);
		context.registerBean(Listeners.class);
	});

	private final TransactionReleaseTests.Shop shop = this.context.getBean(TransactionReleaseTests.Shop.class);

	private final TransactionReleaseTests.Stock stock = this.context.getBean(TransactionReleaseTests.Stock.class);

	private final Warehouse warehouse = this.context.getBean(Warehouse.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	private void assertNothingWasTaken() {
		assertThat(this.stock.left()).isEqualTo(10);
		assertThat(this.provider.events()).doesNotContain("commit");
	}

	@Test
	void newTransactionOfAMethodInsideOfItsCallers() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.shop.sell(() -> this.warehouse.takeInANewTransaction(true)));
		assertNothingWasTaken();
	}

	@Test
	@Tag("proxies")
	void lockOfANewTransactionEndsWithIt() {
		this.shop.sell(() -> {
			this.warehouse.takeInANewTransaction(false);
			this.provider.record("outer again");
		});
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "begin", "take", "commit", GIVE,
				"outer again", "commit");
	}

	@Test
	void transactionOfATemplateInTheBody() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.warehouse::takeByTemplate);
		assertNothingWasTaken();
	}

	@Test
	void transactionOfAnotherBean() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.warehouse::takeByAnotherBean);
		assertNothingWasTaken();
	}

	@Test
	@Tag("proxies")
	void transactionOfAMethodThatReturnsAFuture() {
		assertThat(this.warehouse.takeLater()).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertNothingWasTaken();
	}

	@Test
	@Tag("proxies")
	void transactionOfAFutureInsideOfAMethodThatHasLostItsLock() {
		this.warehouse.loseBefore(() -> assertThat(this.warehouse.writeLater()).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class));
		assertNothingWasTaken();
	}

	@Test
	void transactionInABodyThatStaysOnItsThread() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.warehouse.takeReactively(Schedulers.immediate()).block());
		assertNothingWasTaken();
	}

	@Test
	void transactionInABodyThatLeavesItsThreadIsNotChecked() {
		this.warehouse.takeReactively(Schedulers.boundedElastic()).block();
		assertThat(this.provider.events()).contains("commit");
	}

	@Test
	void transactionAfterABodyIsNotChecked() {
		this.warehouse.lose().doOnNext((lost) -> this.shop.sell(() -> this.provider.record("behind"))).blockLast();
		assertThat(this.provider.events()).contains("begin", "behind", "commit");
	}

	@Test
	void lossIsFoundAlsoAfterOtherChecksOfTheSameOrder() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.sell(() -> {
			this.stock.take(this.provider);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					LostLockTransactionTests.this.provider.loseLast();
				}

			});
		}));
		assertNothingWasTaken();
	}

	@Test
	void keyIsTakenWhileListenersOfTheCommitRun() {
		this.shop.sell(() -> this.warehouse.takeAndTell());
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "commit", "told", GIVE);
	}

	@Test
	void keyIsTakenWhileListenersOfTheRollbackRun() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.shop.sell(() -> {
			this.warehouse.takeAndTell();
			throw new IllegalStateException("no money");
		}));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "rollback", "told", GIVE);
	}

	@Test
	void manyCallsOfOneTransactionAreOneSynchronization() {
		List<Integer> synchronizations = new CopyOnWriteArrayList<>();
		this.shop.sell(() -> {
			this.stock.look(this.provider);
			int one = TransactionSynchronizationManager.getSynchronizations().size();
			for (int i = 0; i < 100; i++) {
				this.stock.look(this.provider);
			}
			synchronizations.add(TransactionSynchronizationManager.getSynchronizations().size() - one);
		});
		assertThat(synchronizations).containsExactly(0);
		assertThat(this.provider.keys()).hasSize(1);
		assertThat(this.provider.events()).endsWith(GIVE);
	}

	@Test
	void methodsThatReportALossThemselvesDoNotCommitEither() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.warehouse::takeReporting);
		assertNothingWasTaken();
	}

	static class Ledger {

		private final JdbcTemplate jdbcTemplate;

		private final RecordingProvider provider;

		Ledger(JdbcTemplate jdbcTemplate, RecordingProvider provider) {
			this.jdbcTemplate = jdbcTemplate;
			this.provider = provider;
		}

		@Transactional
		public void take() {
			write();
			this.provider.loseLast();
		}

		void write() {
			this.provider.record("take");
			this.jdbcTemplate.update("update stock set amount = amount - 1");
		}

	}

	static class Warehouse {

		private final Ledger ledger;

		private final RecordingProvider provider;

		private final PlatformTransactionManager transactions;

		private final ApplicationEventPublisher events;

		Warehouse(Ledger ledger, RecordingProvider provider, PlatformTransactionManager transactions,
				ApplicationEventPublisher events) {
			this.ledger = ledger;
			this.provider = provider;
			this.transactions = transactions;
			this.events = events;
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "stock", key = "'1'")
		public void takeInANewTransaction(boolean lose) {
			this.ledger.write();
			if (lose) {
				this.provider.loseLast();
			}
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeByTemplate() {
			new TransactionTemplate(this.transactions).executeWithoutResult((status) -> this.ledger.take());
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeReactively(Scheduler scheduler) {
			return Mono.<Void>fromRunnable(this.ledger::take).subscribeOn(scheduler);
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Flux<String> lose() {
			return Flux.just("lost").doOnNext((value) -> this.provider.loseLast());
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeByAnotherBean() {
			this.ledger.take();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		public CompletableFuture<String> takeLater() {
			this.ledger.take();
			return CompletableFuture.completedFuture("taken");
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void loseBefore(Runnable work) {
			this.provider.loseLast();
			work.run();
		}

		@Transactional
		@DistributedLock(name = "ledger", key = "'1'")
		public CompletableFuture<String> writeLater() {
			this.ledger.write();
			return CompletableFuture.completedFuture("written");
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'", onLost = OnLost.REPORT)
		public void takeReporting() {
			this.ledger.take();
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeAndTell() {
			this.ledger.write();
			this.events.publishEvent(new Taken());
		}

	}

	record Taken() {

	}

	static class Listeners {

		private final RecordingProvider provider;

		Listeners(RecordingProvider provider) {
			this.provider = provider;
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
		public void told(Taken taken) {
			this.provider.record("told");
		}

	}

}
