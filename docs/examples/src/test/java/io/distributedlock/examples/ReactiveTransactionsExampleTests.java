package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.patience.Patience;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReactiveTransactionsExampleTests extends OnEveryProvider {

	private static final Duration SOON = Patience.LIMIT;

	private ReactiveStock stock;

	private SlowStock slowStock;

	private ReactiveShop shop;

	private ObservingPayments payments;

	private TransactionalOperator transactions;

	private ConfigurableApplicationContext other;

	@BeforeEach
	void createStock() {
		ConfigurableApplicationContext node = node(Database.class, ReactiveShop.class, ReactiveStock.class,
				SlowStock.class, ObservingPayments.class);
		this.other = node();
		this.stock = node.getBean(ReactiveStock.class);
		this.slowStock = node.getBean(SlowStock.class);
		this.shop = node.getBean(ReactiveShop.class);
		this.payments = node.getBean(ObservingPayments.class);
		this.transactions = TransactionalOperator.create(node.getBean(ReactiveTransactionManager.class));
		this.slowStock.create().block(SOON);
	}

	@Test
	void lockIsKeptUntilTheCommitOfTheChain() {
		this.payments.are(isFree(1).doOnNext((free) -> assertThat(free).isFalse()).then());
		this.shop.sell(1).block(SOON);
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.slowStock.left().block(SOON)).isEqualTo(9);
	}

	@Test
	void lockIsKeptUntilTheRollbackOfTheChain() {
		this.payments.are(isFree(1).doOnNext((free) -> assertThat(free).isFalse())
			.then(Mono.error(new IllegalStateException("no money"))));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.shop.sell(1).block(SOON))
			.withMessage("no money");
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.slowStock.left().block(SOON)).isEqualTo(10);
	}

	@Test
	void operatorIsATransactionToo() {
		this.transactions
			.transactional(this.stock.take(1).then(isFree(1)).doOnNext((free) -> assertThat(free).isFalse()))
			.block(SOON);
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.slowStock.left().block(SOON)).isEqualTo(9);
	}

	@Test
	void transactionWhoseLeaseWasLostIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.slowStock.take(1).block(SOON));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transactions.transactional(this.slowStock.take(1)).block(SOON));
		assertThat(this.slowStock.left().block(SOON)).isEqualTo(10);
	}

	/**
	 * Ask another node, which has no part in the chain.
	 */
	private Mono<Boolean> isFree(int item) {
		return Mono.fromCallable(() -> locks(this.other).tryExecute(LockRequest.of("" + item).withName("stock"), () -> {
		})).subscribeOn(Schedulers.boundedElastic());
	}

	static class Database {

		private final ConnectionFactory connections = ConnectionFactories
			.get("r2dbc:h2:mem:///reactive-stock?options=DB_CLOSE_DELAY=-1");

		@Bean
		DatabaseClient databaseClient() {
			return DatabaseClient.create(this.connections);
		}

		@Bean
		ReactiveTransactionManager transactionManager() {
			return new R2dbcTransactionManager(this.connections);
		}

	}

	static class ObservingPayments implements ReactiveShop.Payments {

		private Mono<Void> work = Mono.empty();

		void are(Mono<Void> work) {
			this.work = work;
		}

		@Override
		public Mono<Void> charge(int item) {
			return this.work;
		}

	}

	/**
	 * Works for longer than its lease.
	 */
	static class SlowStock {

		private final DatabaseClient database;

		SlowStock(DatabaseClient database) {
			this.database = database;
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item", leaseTime = "300ms")
		public Mono<Void> take(int item) {
			return this.database.sql("update stock set amount = amount - 1 where id = " + item)
				.then()
				.then(Mono.deferContextual((context) -> {
					LockContext locks = context.get(LockContext.class);
					return Mono.delay(Duration.ofMillis(20))
						.repeat(() -> locks.innermost().orElseThrow().isValid())
						.then();
				}));
		}

		Mono<Void> create() {
			return this.database.sql("drop table if exists stock")
				.then()
				.then(this.database.sql("create table stock (id int primary key, amount int)").then())
				.then(this.database.sql("insert into stock values (1, 10)").then());
		}

		Mono<Integer> left() {
			return this.database.sql("select amount from stock where id = 1")
				.map((row) -> row.get(0, Integer.class))
				.one();
		}

	}

}
