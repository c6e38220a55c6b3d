package io.distributedlock.examples;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TransactionsExampleTests extends OnEveryProvider {

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	@BeforeEach
	void createStock() {
		this.first = node(Shop.class, Stock.class);
		this.second = node(Shop.class, Stock.class);
		JdbcTemplate jdbcTemplate = this.first.getBean(JdbcTemplate.class);
		jdbcTemplate.execute("drop table if exists stock");
		jdbcTemplate.execute("create table stock (id int primary key, amount int)");
		jdbcTemplate.update("insert into stock values (1, 10)");
	}

	@Test
	void lockIsKeptUntilTheCommit() throws Exception {
		CountDownLatch taken = new CountDownLatch(1);
		CountDownLatch mayCommit = new CountDownLatch(1);
		CompletableFuture<Void> sale = CompletableFuture
			.runAsync(() -> this.first.getBean(Shop.class).sell(1, taken, mayCommit));
		assertThat(taken.await(10, TimeUnit.SECONDS)).isTrue();
		LockTemplate other = locks(this.second);
		assertThat(other.tryAcquire(LockRequest.of("1").withName("stock"))).as("before the commit").isEmpty();
		CompletableFuture<Void> next = CompletableFuture.runAsync(() -> this.second.getBean(Stock.class).take(1),
				(task) -> new Thread(task).start());
		mayCommit.countDown();
		sale.get(10, TimeUnit.SECONDS);
		next.get(10, TimeUnit.SECONDS);
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
	void transactionWhoseLeaseWasLostIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.first.getBean(Stock.class).takeSlowly(1));
		assertThat(left()).isEqualTo(10);
	}

	private int left() {
		return this.first.getBean(JdbcTemplate.class)
			.queryForObject("select amount from stock where id = 1", Integer.class);
	}

	static class Shop {

		private final Stock stock;

		Shop(Stock stock) {
			this.stock = stock;
		}

		@Transactional
		public void sell(int item, CountDownLatch taken, CountDownLatch mayCommit) {
			this.stock.take(item); // the lock is kept until this transaction has ended
			taken.countDown();
			await(mayCommit);
		}

		private static void await(CountDownLatch latch) {
			try {
				latch.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Stock {

		private final JdbcTemplate jdbcTemplate;

		Stock(JdbcTemplate jdbcTemplate) {
			this.jdbcTemplate = jdbcTemplate;
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item")
		public void take(int item) {
			int amount = this.jdbcTemplate.queryForObject("select amount from stock where id = ?", Integer.class, item);
			this.jdbcTemplate.update("update stock set amount = ? where id = ?", amount - 1, item);
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item", leaseTime = "300ms")
		public void takeSlowly(int item) {
			this.jdbcTemplate.update("update stock set amount = amount - 1 where id = ?", item);
			LockHandle lock = LockContext.current();
			Awaitility.await().until(() -> !lock.isValid());
		}

	}

}
