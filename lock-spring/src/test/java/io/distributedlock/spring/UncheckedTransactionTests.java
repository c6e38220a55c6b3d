package io.distributedlock.spring;

import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnLost;
import io.distributedlock.annotation.ReleaseTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What docs/features/transactions.md says about transactions that no lock waits for or
 * that are not checked, and about the ways around that.
 */
class UncheckedTransactionTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private static final LockRequest STOCK = LockRequest.of("1").withName("stock");

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(TransactionReleaseTests.Config.class);
		context.registerBean(Shelf.class);
	});

	private final Shelf shelf = this.context.getBean(Shelf.class);

	private final LockTemplate locks = this.context.getBean(LockTemplate.class);

	private final TransactionTemplate transaction = new TransactionTemplate(
			this.context.getBean(PlatformTransactionManager.class));

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void monoInATransactionOfAThreadReleasesItsLockBeforeTheCommit() {
		this.transaction.executeWithoutResult((status) -> this.shelf.takeReactively(false).block());
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", GIVE, "commit");
	}

	@Test
	void monoInATransactionOfAThreadIsNotCheckedBeforeTheCommit() {
		this.transaction.executeWithoutResult((status) -> this.shelf.takeReactively(true).block());
		assertThat(this.provider.events()).startsWith("begin", TAKE, "take").endsWith("commit");
	}

	@Test
	void monoFromATransactionOfAThreadAndSubscribedToAfterItHasItsOwnTime() {
		Mono<Void> made = this.transaction.execute((status) -> this.shelf.takeReactively(false));
		assertThat(made).isNotNull();
		made.block();
		assertThat(this.provider.events()).containsExactly("begin", "commit", TAKE, "take", GIVE);
	}

	/**
	 * As those of message brokers are.
	 */
	@Test
	void managerWithoutSynchronizationReleasesBeforeTheCommit() {
		this.context.getBean(AbstractPlatformTransactionManager.class)
			.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		TransactionReleaseTests.Stock stock = this.context.getBean(TransactionReleaseTests.Stock.class);
		this.transaction.executeWithoutResult((status) -> stock.take(this.provider));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", GIVE, "commit");
	}

	@Test
	void templateInsideOfATransactionReleasesBeforeTheCommit() {
		this.transaction
			.executeWithoutResult((status) -> this.locks.execute(STOCK, () -> this.provider.record("take")));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", GIVE, "commit");
	}

	@Test
	void templateAroundATransactionReleasesAfterTheCommit() {
		underTheTemplate((provider) -> {
		});
		assertThat(this.provider.events()).containsExactly(TAKE, "begin", "take", "commit", GIVE);
	}

	@Test
	void templateDoesNotCheckBeforeTheCommit() {
		underTheTemplate(RecordingProvider::loseLast);
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "take", "commit");
	}

	@Test
	void checkInTheLastStepOfTheTransactionWorks() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> underTheTemplate((provider) -> {
			provider.loseLast();
			LockContext.current().ensureHeld();
		}));
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "take", "rollback");
	}

	@Test
	void callersTransactionIsNotCheckedIfTheLockIsReleasedBefore() {
		this.transaction.executeWithoutResult((status) -> this.shelf.takeAndRelease());
		assertThat(this.provider.events()).startsWith("begin", TAKE, "take").endsWith("commit");
	}

	@Test
	void callersTransactionIsRolledBackIfTheMethodReportsTheLoss() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.shelf.takeAndReport()));
		assertThat(this.provider.events()).startsWith("begin", TAKE, "take").endsWith("rollback");
	}

	@Test
	@Tag("proxies")
	void transactionOfTheMethodIsCheckedWheneverTheLockIsReleased() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.shelf::takeInTransactionAndRelease);
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "take", "rollback").doesNotContain("commit");
	}

	private void underTheTemplate(Consumer<RecordingProvider> last) {
		this.locks.execute(STOCK, () -> this.transaction.executeWithoutResult((status) -> {
			this.provider.record("take");
			last.accept(this.provider);
		}));
	}

	static class Shelf {

		private final RecordingProvider provider;

		Shelf(RecordingProvider provider) {
			this.provider = provider;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public Mono<Void> takeReactively(boolean lose) {
			return Mono.fromRunnable(() -> take(lose));
		}

		@DistributedLock(name = "stock", key = "'1'", release = ReleaseTime.AFTER_METHOD)
		public void takeAndRelease() {
			take(true);
		}

		@DistributedLock(name = "stock", key = "'1'", release = ReleaseTime.AFTER_METHOD, onLost = OnLost.THROW)
		public void takeAndReport() {
			take(true);
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'", release = ReleaseTime.AFTER_METHOD)
		public void takeInTransactionAndRelease() {
			take(true);
		}

		private void take(boolean lose) {
			this.provider.record("take");
			if (lose) {
				this.provider.loseLast();
			}
		}

	}

}
