package io.distributedlock.examples;

import java.time.Duration;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
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

	private static final Duration SOON = Duration.ofSeconds(10);

	private Stock stock;

	private Shop shop;

	private ConfigurableApplicationContext other;

	@BeforeEach
	void createStock() {
		ConfigurableApplicationContext node = node(Database.class, Shop.class, Stock.class);
		this.other = node();
		this.stock = node.getBean(Stock.class);
		this.shop = node.getBean(Shop.class);
		this.stock.create().block(SOON);
	}

	@Test
	void lockIsKeptUntilTheCommitOfTheChain() {
		this.shop.sell(this.stock.take(1).then(isFree(1)).doOnNext((free) -> assertThat(free).isFalse())).block(SOON);
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.stock.left().block(SOON)).isEqualTo(9);
	}

	@Test
	void lockIsKeptUntilTheRollbackOfTheChain() {
		Mono<Boolean> sale = this.shop.sell(this.stock.take(1)
			.then(isFree(1))
			.doOnNext((free) -> assertThat(free).isFalse())
			.then(Mono.error(new IllegalStateException("no money"))));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> sale.block(SOON))
			.withMessage("no money");
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.stock.left().block(SOON)).isEqualTo(10);
	}

	@Test
	void operatorIsATransactionToo() {
		this.shop.sellByHand(this.stock.take(1).then(isFree(1)).doOnNext((free) -> assertThat(free).isFalse()))
			.block(SOON);
		assertThat(isFree(1).block(SOON)).isTrue();
		assertThat(this.stock.left().block(SOON)).isEqualTo(9);
	}

	@Test
	void transactionWhoseLeaseWasLostIsRolledBack() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.takeSlowly(1).block(SOON));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.shop.sell(this.stock.takeSlowly(1)).block(SOON));
		assertThat(this.stock.left().block(SOON)).isEqualTo(10);
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

	static class Shop {

		private final TransactionalOperator transactions;

		Shop(ReactiveTransactionManager transactionManager) {
			this.transactions = TransactionalOperator.create(transactionManager);
		}

		@Transactional
		public <T> Mono<T> sell(Mono<T> work) {
			return work; // a lock that it takes is kept until this transaction has ended
		}

		public <T> Mono<T> sellByHand(Mono<T> work) {
			return this.transactions.transactional(work);
		}

	}

	static class Stock {

		private final DatabaseClient database;

		Stock(DatabaseClient database) {
			this.database = database;
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item", waitTime = "5s")
		public Mono<Void> take(int item) {
			return this.database.sql("update stock set amount = amount - 1 where id = " + item).then();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item", leaseTime = "300ms")
		public Mono<Void> takeSlowly(int item) {
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
