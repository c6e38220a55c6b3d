package io.distributedlock.spring;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnUnavailable;
import io.distributedlock.test.patience.Patience;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.reactivex.rxjava3.core.Completable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock that is taken inside a reactive transaction is kept until that has ended.
 */
class ReactiveTransactionTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(Config.class);
		context.registerBean(Notes.class);
		context.registerBean(Branch.class);
	});

	private final Shop shop = this.context.getBean(Shop.class);

	private final Stock stock = this.context.getBean(Stock.class);

	private final Notes notes = this.context.getBean(Notes.class);

	private final Branch branch = this.context.getBean(Branch.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void lockIsKeptUntilTheCommitOfTheChain() {
		this.shop.sell(this.stock.take()).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "committed", GIVE);
		assertThat(this.stock.left().block()).isEqualTo(9);
	}

	@Test
	void lockIsKeptUntilTheRollbackOfTheChain() {
		StepVerifier.create(this.shop.sell(this.stock.take().then(Mono.error(new IllegalStateException("no money")))))
			.verifyErrorMessage("no money");
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "rolled back", GIVE);
		assertThat(this.stock.left().block()).isEqualTo(10);
	}

	@Test
	void operatorIsATransactionToo() {
		TransactionalOperator operator = TransactionalOperator
			.create(this.context.getBean(ReactiveTransactionManager.class));
		operator.transactional(this.stock.take()).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "committed", GIVE);
	}

	@Test
	void transactionOfTheChainIsRolledBackIfTheLeaseWasLost() {
		StepVerifier.create(this.shop.sell(this.stock.take().doOnTerminate(this.provider::loseLast)))
			.verifyError(LockLostException.class);
		assertThat(this.provider.events()).contains("rolled back").doesNotContain("committed");
		assertThat(this.stock.left().block()).isEqualTo(10);
	}

	@Test
	@Tag("proxies")
	void transactionOfTheMethodEndsInsideOfTheLock() {
		this.stock.takeInTransaction(false).block();
		assertThat(this.provider.events()).containsExactly(TAKE, "begin", "take", "committed", GIVE);
		assertThat(this.stock.left().block()).isEqualTo(9);
	}

	@Test
	@Tag("proxies")
	void transactionOfTheMethodIsRolledBackIfTheLeaseWasLost() {
		StepVerifier.create(this.stock.takeInTransaction(true)).verifyError(LockLostException.class);
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "take", "rolled back");
		assertThat(this.stock.left().block()).isEqualTo(10);
	}

	@Test
	@Tag("proxies")
	void newTransactionOfAMethodHasItsOwnLocks() {
		this.shop
			.sell(this.stock.takeInANewTransaction(false)
				.then(Mono.fromRunnable(() -> this.provider.record("outer again"))))
			.block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "begin", "take", "committed", GIVE,
				"outer again", "committed");
	}

	@Test
	void newTransactionOfAMethodIsRolledBackIfTheLeaseWasLost() {
		StepVerifier.create(this.shop.sell(this.stock.takeInANewTransaction(true)))
			.verifyError(LockLostException.class);
		assertThat(this.provider.events()).doesNotContain("committed");
		assertThat(this.stock.left().block()).isEqualTo(10);
	}

	@Test
	void transactionOfAnOperatorInTheBodyIsRolledBackIfTheLeaseWasLost() {
		TransactionalOperator operator = TransactionalOperator
			.create(this.context.getBean(ReactiveTransactionManager.class));
		StepVerifier
			.create(this.branch
				.takeAnd(() -> operator.transactional(this.notes.note().then(loseOn(Schedulers.parallel())))))
			.verifyError(LockLostException.class);
		assertThat(this.provider.events()).startsWith(TAKE, "take", "begin", "note", "rolled back")
			.doesNotContain("committed");
	}

	@Test
	void transactionOfAnotherBeanInTheBodyIsRolledBackIfTheLeaseWasLost() {
		StepVerifier.create(this.branch.takeAnd(() -> Mono.delay(Duration.ofMillis(1))
			.then(this.shop.sell(this.notes.note()))
			.then(this.shop.sell(loseOn(Schedulers.parallel()))))).verifyError(LockLostException.class);
		assertThat(this.provider.events()).startsWith(TAKE, "take", "begin", "note", "committed", "begin",
				"rolled back");
	}

	@Test
	void newTransactionInTheBodyOfACallInATransactionIsRolledBackIfTheLeaseWasLost() {
		StepVerifier
			.create(this.shop.sell(this.branch.takeAnd(() -> this.notes.noteApart(loseOn(Schedulers.parallel())))))
			.verifyError(LockLostException.class);
		assertThat(this.provider.events()).startsWith("begin", TAKE, "take", "begin", "note", "rolled back",
				"rolled back");
	}

	@Test
	void transactionsOfTheBodyThatRunAtTheSameTimeAreRolledBackIfTheLeaseWasLost() {
		Mono<Void> lost = this.shop.sell(loseOn(Schedulers.parallel()));
		StepVerifier.create(this.branch.takeAnd(() -> Mono.whenDelayError(lost, lost)))
			.verifyErrorSatisfies((failure) -> assertThat(Exceptions.unwrapMultiple(failure)).hasSize(2)
				.allSatisfy((each) -> assertThat(each).isInstanceOf(LockLostException.class)));
		assertThat(this.provider.events()).doesNotContain("committed");
	}

	@Test
	void manyTransactionsOfTheBodyCommitAsUsual() {
		this.branch.takeAnd(() -> Flux.range(0, 50).flatMap((each) -> this.shop.sell(this.notes.note())).then())
			.block();
		assertThat(this.provider.events()).filteredOn("committed"::equals).hasSize(50);
		assertThat(this.provider.events()).endsWith("committed", GIVE);
	}

	@Test
	void callsOfOneTransactionDoNotAccumulateInIt() {
		List<Integer> synchronizations = new CopyOnWriteArrayList<>();
		Mono<Void> count = TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((transaction) -> synchronizations.add(transaction.getSynchronizations().size()))
			.then();
		Mono<Void> look = this.branch.takeAnd(() -> count);
		this.shop.sell(Flux.range(0, 20).concatMap((each) -> look).then(count)).block();
		assertThat(synchronizations).hasSize(21).containsOnly(1);
	}

	@Test
	void secondCallInTheSameTransactionReenters() {
		this.shop.sell(this.stock.take().then(Mono.delay(Duration.ofMillis(1))).then(this.stock.take())).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "take", "committed", GIVE);
	}

	@Test
	void callInANewTransactionReentersTheLockOfTheSuspendedOne() {
		Mono<Void> take = this.branch.takeAnd(Mono::empty);
		Mono<Void> inner = this.notes.noteApart(this.notes.noteApart(take).then(take));
		this.shop.sell(take.then(inner).then(take)).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "begin", "note", "begin", "note",
				"take", "committed", "take", "committed", "take", "committed", GIVE);
	}

	@Test
	void callsThatGetTheirLocksAtTheSameTimeShareTheirTransaction() {
		// each on a thread of its own, as a lock that is there at once stays on the
		// thread
		Mono<Void> calls = Mono.when(this.branch.takeItem(1).subscribeOn(Schedulers.boundedElastic()),
				this.branch.takeItem(2).subscribeOn(Schedulers.boundedElastic()));
		this.shop
			.sell(TransactionContextManager.currentContext()
				.doOnNext((transaction) -> transaction.setSynchronizations(new MeetingPoint()))
				.then(calls))
			.block();
		assertThat(this.provider.events()).containsSubsequence("committed", "release t:items:1")
			.containsSubsequence("committed", "release t:items:2");
	}

	/**
	 * An event loop must not wait, and certainly not for a transaction that is not its
	 * own. One of the others may wait for a part of a hash table.
	 */
	@Test
	void callDoesNotWaitUntilAnotherTransactionKeepsItsLock() {
		ClosedGate gate = new ClosedGate();
		CompletableFuture<Void> slow = inTransaction(TransactionContextManager.currentContext()
			.doOnNext((transaction) -> transaction.setSynchronizations(gate))
			.then(this.branch.takeItem(0)));
		Patience.await().until(() -> gate.reached);
		List<CompletableFuture<Void>> others = IntStream.rangeClosed(1, 8)
			.mapToObj((item) -> inTransaction(this.branch.takeItem(item)))
			.toList();
		try {
			Patience.await().until(() -> others.stream().anyMatch(CompletableFuture::isDone));
			assertThat(slow).isNotDone();
		}
		finally {
			gate.opened = true;
		}
		assertThat(slow).succeedsWithin(Patience.LIMIT);
		assertThat(others).allSatisfy((other) -> assertThat(other).succeedsWithin(Patience.LIMIT));
	}

	private CompletableFuture<Void> inTransaction(Mono<Void> work) {
		return this.shop.sell(work).subscribeOn(Schedulers.boundedElastic()).toFuture();
	}

	@Test
	void transactionThatABlockingMethodWaitsForIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.branch.takeAndWait(this.shop.sell(loseOn(Schedulers.parallel()))));
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed");
	}

	@Test
	void transactionOfAFutureIsRolledBackIfTheLeaseWasLost() {
		assertThat(this.branch.takeLater(this.shop.sell(loseOn(Schedulers.parallel())))).failsWithin(Patience.LIMIT)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed");
	}

	@Test
	void transactionInATypeOfRxJavaIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.branch.takeByRxJava(this.shop.sell(loseOn(Schedulers.parallel()))).blockingAwait());
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed");
	}

	@Test
	void transactionsOfMethodsThatAreNoChainCommitAsUsual() {
		this.branch.takeAndWait(this.shop.sell(this.notes.note()));
		this.branch.takeLater(this.shop.sell(this.notes.note())).join();
		this.branch.takeByRxJava(this.shop.sell(this.notes.note())).blockingAwait();
		this.shop.sell(this.notes.note()).block();
		assertThat(this.provider.events()).filteredOn("committed"::equals).hasSize(4);
	}

	private Mono<Void> loseOn(Scheduler scheduler) {
		return Mono.<Void>fromRunnable(this.provider::loseLast).subscribeOn(scheduler);
	}

	@Test
	void keyIsTakenWhileSynchronizationsOfTheCommitRun() {
		this.shop.sell(this.stock.take()
			.then(TransactionSynchronizationManager.forCurrentTransaction()
				.doOnNext((transaction) -> transaction.registerSynchronization(new TransactionSynchronization() {

					@Override
					public Mono<Void> afterCompletion(int status) {
						return Mono.fromRunnable(() -> ReactiveTransactionTests.this.provider.record("told"));
					}

				})))
			.then()).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "committed", "told", GIVE);
	}

	@Test
	void newTransactionOfACallWithoutLocksDoesNotDependOnTheOuterLock() {
		this.shop.sell(this.branch.takeAnd(() -> this.notes.noteUnder(false)).then(goOn())).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "begin", "note", "committed",
				"outer again", "committed", GIVE);
	}

	@Test
	void newTransactionOfACallThatProceedsWithoutItsLockDoesNotDependOnTheOuterLock() {
		this.shop.sell(this.branch.takeAnd(() -> {
			this.provider.down(true);
			return this.notes.noteInAnyCase().doOnTerminate(() -> this.provider.down(false));
		}).then(goOn())).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "begin", "note", "committed",
				"outer again", "committed", GIVE);
	}

	private Mono<Void> goOn() {
		return Mono.fromRunnable(() -> this.provider.record("outer again"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Config {

		@Bean
		ConnectionFactory connectionFactory() {
			return ConnectionFactories.get("r2dbc:h2:mem:///" + System.nanoTime() + "?options=DB_CLOSE_DELAY=-1");
		}

		@Bean
		DatabaseClient databaseClient(ConnectionFactory connectionFactory) {
			DatabaseClient client = DatabaseClient.create(connectionFactory);
			client.sql("create table stock (id int primary key, amount int)").then().block();
			client.sql("insert into stock values (1, 10)").then().block();
			return client;
		}

		@Bean
		ReactiveTransactionManager transactionManager(ConnectionFactory connectionFactory, RecordingProvider provider) {
			return new RecordingTransactionManager(connectionFactory, provider);
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		Stock stock(DatabaseClient databaseClient, RecordingProvider provider) {
			return new Stock(databaseClient, provider);
		}

	}

	@SuppressWarnings("serial")
	static class RecordingTransactionManager extends R2dbcTransactionManager {

		private final RecordingProvider provider;

		RecordingTransactionManager(ConnectionFactory connectionFactory, RecordingProvider provider) {
			super(connectionFactory);
			this.provider = provider;
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronization, Object transaction,
				TransactionDefinition definition) {
			return super.doBegin(synchronization, transaction, definition)
				.doOnSuccess((done) -> this.provider.record("begin"));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronization,
				GenericReactiveTransaction status) {
			return super.doCommit(synchronization, status).doOnSuccess((done) -> this.provider.record("committed"));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronization,
				GenericReactiveTransaction status) {
			return super.doRollback(synchronization, status).doOnSuccess((done) -> this.provider.record("rolled back"));
		}

	}

	/**
	 * Synchronizations of which the first is only added when another one is about to be,
	 * or waits for the first.
	 */
	@SuppressWarnings("serial")
	static class MeetingPoint extends LinkedHashSet<TransactionSynchronization> {

		private final AtomicInteger arrived = new AtomicInteger();

		@Override
		public boolean add(TransactionSynchronization added) {
			if (this.arrived.incrementAndGet() == 1) {
				Patience.await().until(() -> this.arrived.get() > 1 || isOneWaiting());
			}
			synchronized (this) {
				return super.add(added);
			}
		}

		private static boolean isOneWaiting() {
			return Thread.getAllStackTraces()
				.entrySet()
				.stream()
				.anyMatch((each) -> each.getKey().getState() != Thread.State.RUNNABLE
						&& Stream.of(each.getValue())
							.anyMatch((frame) -> frame.getClassName().endsWith(".ReactiveTransactionLocks"))
						&& Stream.of(each.getValue())
							.noneMatch((frame) -> frame.getClassName().equals(MeetingPoint.class.getName())));
		}

	}

	/**
	 * Synchronizations to which the first one is added when the gate is opened.
	 */
	@SuppressWarnings("serial")
	static class ClosedGate extends LinkedHashSet<TransactionSynchronization> {

		private volatile boolean opened;

		private volatile boolean reached;

		@Override
		public boolean add(TransactionSynchronization added) {
			this.reached = true;
			Patience.await().until(() -> this.opened);
			return super.add(added);
		}

	}

	static class Shop {

		@Transactional
		public Mono<Void> sell(Mono<Void> work) {
			return work;
		}

	}

	static class Notes {

		private final RecordingProvider provider;

		Notes(RecordingProvider provider) {
			this.provider = provider;
		}

		Mono<Void> note() {
			return Mono.fromRunnable(() -> this.provider.record("note"));
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public Mono<Void> noteApart(Mono<Void> more) {
			return note().then(more);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "notes", condition = "#lock")
		public Mono<Void> noteUnder(boolean lock) {
			return Mono.fromRunnable(() -> this.provider.record("note"));
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "notes", waitTime = "0", onUnavailable = OnUnavailable.PROCEED)
		public Mono<Void> noteInAnyCase() {
			return Mono.fromRunnable(() -> this.provider.record("note"));
		}

	}

	static class Branch {

		private final RecordingProvider provider;

		Branch(RecordingProvider provider) {
			this.provider = provider;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeAnd(Supplier<Mono<Void>> more) {
			return Mono.fromRunnable(() -> this.provider.record("take")).then(Mono.defer(more));
		}

		@DistributedLock(name = "items", key = "#item")
		public Mono<Void> takeItem(int item) {
			return Mono.empty();
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeAndWait(Mono<Void> work) {
			work.block();
		}

		@DistributedLock(name = "stock", key = "'1'")
		public CompletableFuture<Void> takeLater(Mono<Void> work) {
			return work.toFuture();
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Completable takeByRxJava(Mono<Void> work) {
			return Completable.fromPublisher(work);
		}

	}

	static class Stock {

		private final DatabaseClient databaseClient;

		private final RecordingProvider provider;

		Stock(DatabaseClient databaseClient, RecordingProvider provider) {
			this.databaseClient = databaseClient;
			this.provider = provider;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> take() {
			return update();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeInTransaction(boolean lose) {
			return lose ? update().doOnTerminate(this.provider::loseLast) : update();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeInANewTransaction(boolean lose) {
			return lose ? update().doOnTerminate(this.provider::loseLast) : update();
		}

		Mono<Integer> left() {
			return this.databaseClient.sql("select amount from stock where id = 1")
				.map((row) -> row.get(0, Integer.class))
				.one();
		}

		private Mono<Void> update() {
			return Mono.defer(() -> {
				this.provider.record("take");
				return this.databaseClient.sql("update stock set amount = amount - 1").then();
			});
		}

	}

}
