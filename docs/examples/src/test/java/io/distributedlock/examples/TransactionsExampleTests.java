package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TransactionsExampleTests extends OnEveryProvider {

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	@BeforeEach
	void createStock() {
		this.first = node(Shop.class, Stock.class, StockVariants.class, SlowPayments.class);
		this.second = node(Shop.class, Stock.class, StockVariants.class, SlowPayments.class);
		JdbcTemplate jdbcTemplate = this.first.getBean(JdbcTemplate.class);
		jdbcTemplate.execute("drop table if exists stock");
		jdbcTemplate.execute("create table stock (id int primary key, amount int)");
		jdbcTemplate.update("insert into stock values (1, 10)");
	}

	@Test
	void lockIsKeptUntilTheCommit() throws Exception {
		SlowPayments payments = this.first.getBean(SlowPayments.class);
		CompletableFuture<Void> sale = inThread(() -> this.first.getBean(Shop.class).sell(1));
		assertThat(payments.begun.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		LockTemplate other = locks(this.second);
		assertThat(other.tryAcquire(LockRequest.of("1").withName("stock"))).as("before the commit").isEmpty();
		CompletableFuture<Void> next = inThread(() -> this.second.getBean(Stock.class).take(1));
		payments.mayEnd.countDown();
		sale.get(Patience.SECONDS, TimeUnit.SECONDS);
		next.get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(left()).isEqualTo(8);
	}

	@Test
	void transactionTemplateIsATransactionToo() {
		TransactionTemplate transactions = this.first.getBean(TransactionTemplate.class);
		transactions.executeWithoutResult((status) -> {
			this.first.getBean(Stock.class).take(1);
			assertThat(LockContext.find()).as("still held").isPresent();
			status.setRollbackOnly();
		});
		assertThat(LockContext.find()).isEmpty();
		assertThat(left()).isEqualTo(10);
	}

	@Test
	void newTransactionInsideHasItsOwnLocksAndLeavesThoseOfTheOuterOne() {
		StockVariants stock = this.first.getBean(StockVariants.class);
		TransactionTemplate own = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
			stock.reserve(1);
			own.executeWithoutResult((inner) -> {
				stock.reserve(1);
				stock.reserve(2);
				assertThat(isFree("2")).as("inside of the new transaction").isFalse();
			});
			assertThat(isFree("2")).as("after the new transaction").isTrue();
			assertThat(isFree("1")).as("the key of the outer transaction").isFalse();
		});
		assertThat(isFree("1")).isTrue();
	}

	@Test
	void savepointThatIsRolledBackKeepsTheLock() {
		Stock stock = this.first.getBean(Stock.class);
		TransactionTemplate nested = transaction(TransactionDefinition.PROPAGATION_NESTED);
		transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((outer) -> {
			nested.executeWithoutResult((savepoint) -> {
				stock.take(1);
				savepoint.setRollbackOnly();
			});
			assertThat(isFree("1")).isFalse();
		});
		assertThat(isFree("1")).isTrue();
		assertThat(left()).isEqualTo(10);
	}

	@Test
	void transactionWhoseLeaseWasLostIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.first.getBean(StockVariants.class).takeSlowly(1));
		assertThat(left()).isEqualTo(10);
		TransactionTemplate ofTheCaller = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ofTheCaller
			.executeWithoutResult((status) -> this.first.getBean(StockVariants.class).takeSlowly(1)));
		assertThat(left()).isEqualTo(10);
	}

	@ParameterizedTest(name = "afterTransaction = {0}")
	@ValueSource(booleans = { true, false })
	void updateIsLostIfTheLockEndsBeforeTheCommit(boolean afterTransaction) throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch mayCommit = new CountDownLatch(1);
		CompletableFuture<Void> firstSale = sell(this.first, afterTransaction, written, mayCommit);
		assertThat(written.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		CountDownLatch read = new CountDownLatch(1);
		CompletableFuture<Void> secondSale = sell(this.second, afterTransaction, read, new CountDownLatch(0));
		if (!afterTransaction) {
			// it has read what the first one has not committed yet
			Patience.await().until(() -> this.second.getBean(StockVariants.class).reads() == 1);
		}
		mayCommit.countDown();
		CompletableFuture.allOf(firstSale, secondSale).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(left()).isEqualTo(afterTransaction ? 8 : 9);
	}

	private static CompletableFuture<Void> sell(ConfigurableApplicationContext node, boolean afterTransaction,
			CountDownLatch written, CountDownLatch mayCommit) {
		TransactionTemplate sale = node.getBean(TransactionTemplate.class);
		return inThread(() -> sale.executeWithoutResult((status) -> {
			if (afterTransaction) {
				node.getBean(Stock.class).take(1);
			}
			else {
				node.getBean(StockVariants.class).takeAndReleaseAfterMethod(1);
			}
			written.countDown();
			await(mayCommit);
		}));
	}

	private static CompletableFuture<Void> inThread(Runnable work) {
		return CompletableFuture.runAsync(work, (task) -> new Thread(task).start());
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(Patience.SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private boolean isFree(String item) {
		// asked by another thread, which has no part in the transaction
		return CompletableFuture
			.supplyAsync(() -> locks(this.second).tryExecute(LockRequest.of(item).withName("stock"), () -> {
			}))
			.join();
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.first.getBean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	private int left() {
		return this.first.getBean(JdbcTemplate.class)
			.queryForObject("select amount from stock where id = 1", Integer.class);
	}

	static class SlowPayments implements Shop.Payments {

		final CountDownLatch begun = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		@Override
		public void charge(int item) {
			this.begun.countDown();
			await(this.mayEnd);
		}

	}

	/**
	 * Methods under the same locks as {@link Stock} that behave otherwise.
	 */
	static class StockVariants {

		private final JdbcTemplate jdbcTemplate;

		private final AtomicInteger reads = new AtomicInteger();

		StockVariants(JdbcTemplate jdbcTemplate) {
			this.jdbcTemplate = jdbcTemplate;
		}

		@DistributedLock(name = "stock", key = "#item", release = ReleaseTime.AFTER_METHOD)
		public void takeAndReleaseAfterMethod(int item) {
			int amount = this.jdbcTemplate.queryForObject("select amount from stock where id = ?", Integer.class, item);
			this.reads.incrementAndGet();
			this.jdbcTemplate.update("update stock set amount = ? where id = ?", amount - 1, item);
		}

		@DistributedLock(name = "stock", key = "#item")
		public void reserve(int item) {
			LockContext.current().ensureHeld();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item", leaseTime = "300ms")
		public void takeSlowly(int item) {
			this.jdbcTemplate.update("update stock set amount = amount - 1 where id = ?", item);
			LockHandle lock = LockContext.current();
			Patience.await().until(() -> !lock.isValid());
		}

		int reads() {
			return this.reads.get();
		}

	}

}
