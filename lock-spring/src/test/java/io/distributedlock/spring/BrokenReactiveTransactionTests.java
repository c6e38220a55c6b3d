package io.distributedlock.spring;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Broken: reactive transactions in a locked chain that commit without the lock.
 */
@Tag("proxies")
class BrokenReactiveTransactionTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(ReactiveTransactionTests.Config.class);
		context.registerBean(Shelf.class, () -> new Shelf(this.provider));
	});

	private final ReactiveTransactionTests.Shop shop = this.context.getBean(ReactiveTransactionTests.Shop.class);

	private final Shelf shelf = this.context.getBean(Shelf.class);

	private final TransactionalOperator operator = TransactionalOperator
		.create(this.context.getBean(ReactiveTransactionManager.class));

	@AfterEach
	void close() {
		this.context.close();
	}

	/**
	 * A usual way to name something that may be overridden further down.
	 */
	@Test
	void chainThatPutsItsContextIntoAnotherIsRolledBack() {
		assertRolledBack(this.shelf.takeAnd(() -> Mono.delay(Duration.ofMillis(5))
			.then(this.shop.sell(lose()).contextWrite((inner) -> Context.of("trace", "x").putAll(inner.readOnly())))));
	}

	/**
	 * A usual way over a library of futures, with the context handed over.
	 */
	@Test
	void chainThatHandsItsContextToAFutureIsRolledBack() {
		assertRolledBack(this.shelf.takeAnd(() -> Mono.delay(Duration.ofMillis(5))
			.then(Mono.deferContextual(
					(view) -> Mono.fromFuture(() -> this.shop.sell(lose()).contextWrite(view).toFuture())))));
	}

	@Test
	void chainThatBlocksElsewhereWithItsContextIsRolledBack() {
		assertRolledBack(this.shelf.takeAnd(() -> Mono.deferContextual(
				(view) -> Mono.<Void>fromCallable(() -> this.operator.transactional(lose()).contextWrite(view).block())
					.subscribeOn(Schedulers.boundedElastic()))));
	}

	@Test
	void chainThatMakesAFutureOnTheWayIsRolledBack() {
		assertRolledBack(this.shelf.takeAnd(
				() -> Mono.delay(Duration.ofMillis(5)).then(Mono.fromFuture(() -> this.shop.sell(lose()).toFuture()))));
	}

	/**
	 * The documentation: with managers that take listeners the check is the last before
	 * the commit.
	 */
	@Test
	void checkOfTheCallersTransactionIsBehindOtherSynchronizations() {
		assertRolledBack(this.shop.sell(this.shelf.takeAnd(Mono::empty).then(loseBeforeTheCommit())));
	}

	@Test
	void checkOfATransactionInTheBodyIsBehindOtherSynchronizations() {
		assertRolledBack(
				this.shelf.takeAnd(() -> Mono.delay(Duration.ofMillis(5)).then(this.shop.sell(loseBeforeTheCommit()))));
	}

	@Test
	void checkOfTheMethodsTransactionIsBehindOtherSynchronizations() {
		assertRolledBack(this.shelf.takeInTransaction(loseBeforeTheCommit()));
	}

	/**
	 * A transaction of the caller keeps the lock until it has ended.
	 */
	@Test
	void lockOfABlockingMethodInAReactiveTransactionIsKept() {
		this.shop.sell(Mono.fromRunnable(this.shelf::takeBlocking)).block();
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "committed", GIVE);
	}

	@Test
	void nestedTransactionOfAMethodIsRolledBack() {
		assertRolledBack(this.shelf.takeNested(lose()));
		this.provider.events().clear();
		StepVerifier.create(this.shop.sell(this.shelf.takeNested(lose()))).verifyError(LockLostException.class);
		// what is committed is the savepoint
		assertThat(this.provider.events()).endsWith("committed", "rolled back", GIVE);
	}

	@Test
	void retriesAndRepeatsAreRolledBack() {
		StepVerifier.create(this.shelf.takeInTransaction(lose()).retry(2)).verifyError(LockLostException.class);
		assertThat(this.provider.events()).filteredOn("rolled back"::equals).hasSize(3);
		assertThat(this.provider.events()).doesNotContain("committed");
	}

	@Test
	void sharedAndCachedTransactionsAreRolledBack() {
		assertRolledBack(
				this.shelf.takeAnd(() -> Mono.delay(Duration.ofMillis(5)).then(this.shop.sell(lose()).cache())));
		assertRolledBack(this.shelf
			.takeAnd(() -> Mono.delay(Duration.ofMillis(5)).thenMany(this.shop.sell(lose()).flux().share()).then()));
		assertRolledBack(this.shelf.takeAnd(() -> Mono.delay(Duration.ofMillis(5))
			.thenMany(
					Flux.range(0, 3).parallel().runOn(Schedulers.parallel()).flatMap((each) -> this.shop.sell(lose())))
			.then()));
	}

	@Test
	void lossInAMethodThatHasEndedLeavesLaterTransactionsAlone() {
		StepVerifier.create(this.shelf.takeAnd(this::lose).then(this.shop.sell(Mono.empty()))).verifyComplete();
		assertThat(this.provider.events()).endsWith("committed");
	}

	private void assertRolledBack(Mono<Void> chain) {
		this.provider.events().clear();
		StepVerifier.create(chain).expectError().verify(Duration.ofSeconds(20));
		assertThat(this.provider.events()).contains("rolled back").doesNotContain("committed");
	}

	private Mono<Void> lose() {
		return Mono.fromRunnable(this.provider::loseLast);
	}

	private Mono<Void> loseBeforeTheCommit() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((transaction) -> transaction.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> beforeCommit(boolean readOnly) {
					return lose();
				}

			}))
			.then();
	}

	static class Shelf {

		private final RecordingProvider provider;

		Shelf(RecordingProvider provider) {
			this.provider = provider;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeAnd(Supplier<Mono<Void>> more) {
			return Mono.fromRunnable(() -> this.provider.record("take")).then(Mono.defer(more));
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeBlocking() {
			this.provider.record("take");
		}

		@DistributedLock(name = "stock", key = "'1'")
		public CompletableFuture<Void> takeLater(Mono<Void> more) {
			return more.toFuture();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeInTransaction(Mono<Void> more) {
			return more;
		}

		@Transactional(propagation = Propagation.NESTED)
		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeNested(Mono<Void> more) {
			return more;
		}

	}

}
