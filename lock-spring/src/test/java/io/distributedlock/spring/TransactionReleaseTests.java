package io.distributedlock.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ReleaseTime;
import io.distributedlock.test.patience.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A lock that is taken inside a transaction is kept until that has ended, on a real
 * database.
 */
class TransactionReleaseTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private final RecordingProvider provider = new RecordingProvider();

	private final AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (context) -> {
		context.registerBean(RecordingProvider.class, () -> this.provider);
		context.register(Config.class);
	});

	private final Shop shop = this.context.getBean(Shop.class);

	private final Stock stock = this.context.getBean(Stock.class);

	@AfterEach
	void close() {
		this.context.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void lockIsKeptUntilTheCommitOfTheCaller() {
		this.shop.sell(() -> this.stock.take(this.provider));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "commit", GIVE);
		assertThat(this.stock.left()).isEqualTo(9);
	}

	@Test
	void lockIsKeptUntilTheRollbackOfTheCaller() {
		assertThatIllegalStateException().isThrownBy(() -> this.shop.sell(() -> {
			this.stock.take(this.provider);
			throw new IllegalStateException("no money");
		}));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "rollback", GIVE);
		assertThat(this.stock.left()).isEqualTo(10);
	}

	@Test
	void transactionTemplateIsATransactionToo() {
		transaction(TransactionDefinition.PROPAGATION_REQUIRED)
			.executeWithoutResult((status) -> this.stock.take(this.provider));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "commit", GIVE);
	}

	@Test
	void secondCallInTheSameTransactionReenters() {
		this.shop.sell(() -> {
			this.stock.take(this.provider);
			this.stock.take(this.provider);
		});
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "take", "commit", GIVE);
	}

	@Test
	void transactionMayKeepThousandsOfLocks() {
		this.shop.sell(() -> {
			for (int i = 0; i < 20_000; i++) {
				this.stock.look(this.provider);
			}
		});
		assertThat(this.provider.events()).endsWith("look", "commit", GIVE);
	}

	@Test
	void newTransactionInsideHasItsOwnLocks() {
		this.shop.sell(() -> {
			this.provider.record("outer");
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> this.stock.take(this.provider));
			this.provider.record("outer again");
		});
		assertThat(this.provider.events()).containsExactly("begin", "outer", "begin", TAKE, "take", "commit", GIVE,
				"outer again", "commit");
	}

	@Test
	void lockOfTheOuterTransactionOutlivesANewOneInside() {
		this.shop.sell(() -> {
			this.stock.take(this.provider);
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> this.stock.look(this.provider));
			this.provider.record("outer again");
		});
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "begin", "look", "commit",
				"outer again", "commit", GIVE);
	}

	@Test
	void savepointThatIsRolledBackKeepsTheLock() {
		this.shop.sell(() -> {
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((status) -> {
				this.stock.take(this.provider);
				status.setRollbackOnly();
			});
			this.provider.record("outer again");
		});
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", "outer again", "commit", GIVE);
		assertThat(this.stock.left()).isEqualTo(10);
	}

	@Test
	void lockMayBeReleasedBeforeTheTransactionEnds() {
		this.shop.sell(() -> this.stock.takeAndReleaseAtOnce(this.provider));
		assertThat(this.provider.events()).containsExactly("begin", TAKE, "take", GIVE, "commit");
	}

	@Test
	void transactionOfTheCallerIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.sell(() -> {
			this.stock.take(this.provider);
			this.provider.loseLast();
		})).withMessageContaining("t:stock:1");
		assertThat(this.provider.events()).contains("rollback").doesNotContain("commit");
		assertThat(this.stock.left()).isEqualTo(10);
	}

	@Test
	@Tag("proxies")
	void transactionOfTheMethodIsRolledBackIfTheLeaseWasLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.stock.takeInTransaction(this.provider, true));
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "take", "rollback");
		assertThat(this.stock.left()).isEqualTo(10);
		this.provider.events().clear();
		this.stock.takeInTransaction(this.provider, false);
		assertThat(this.provider.events()).containsExactly(TAKE, "begin", "take", "commit", GIVE);
		assertThat(this.stock.left()).isEqualTo(9);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void updateIsLostIfTheLockEndsBeforeTheCommitAndNotIfItEndsAfter(boolean afterTransaction) throws Exception {
		CountDownLatch released = new CountDownLatch(1);
		CountDownLatch mayCommit = new CountDownLatch(1);
		// the common pool of a small machine has one thread, which the first call would
		// occupy
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> this.shop.sell(() -> {
			sellOne(afterTransaction);
			released.countDown();
			await(mayCommit);
		}), threads);
		assertThat(released.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> second = CompletableFuture
			.runAsync(() -> this.shop.sell(() -> sellOne(afterTransaction)), threads);
		if (!afterTransaction) {
			// it reads what the first one has not committed yet
			io.distributedlock.test.patience.Patience.await().until(() -> this.stock.reads() == 2);
		}
		mayCommit.countDown();
		CompletableFuture.allOf(first, second).get(Patience.SECONDS, TimeUnit.SECONDS);
		assertThat(this.stock.left()).isEqualTo(afterTransaction ? 8 : 9);
	}

	private void sellOne(boolean afterTransaction) {
		if (afterTransaction) {
			this.stock.readAndWrite();
		}
		else {
			this.stock.readAndWriteAndReleaseAtOnce();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Config {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			JdbcTemplate jdbcTemplate = new JdbcTemplate(dataSource);
			// a transaction waits for rows of another one, which may be stopped
			jdbcTemplate.execute("set default_lock_timeout 60000");
			jdbcTemplate.execute("create table stock (id int primary key, amount int)");
			jdbcTemplate.update("insert into stock values (1, 10)");
			return jdbcTemplate;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingProvider provider) {
			return new TransactionOrderTests.RecordingTransactionManager(dataSource, provider);
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

		@Bean
		Stock stock(JdbcTemplate jdbcTemplate) {
			return new Stock(jdbcTemplate);
		}

	}

	static class Shop {

		@Transactional
		public void sell(Runnable work) {
			work.run();
		}

	}

	static class Stock {

		private final JdbcTemplate jdbcTemplate;

		private final AtomicInteger reads = new AtomicInteger();

		Stock(JdbcTemplate jdbcTemplate) {
			this.jdbcTemplate = jdbcTemplate;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void take(RecordingProvider provider) {
			takeOne(provider);
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void look(RecordingProvider provider) {
			provider.record("look");
		}

		@DistributedLock(name = "stock", key = "'1'", release = ReleaseTime.AFTER_METHOD)
		public void takeAndReleaseAtOnce(RecordingProvider provider) {
			takeOne(provider);
		}

		@Transactional(propagation = Propagation.REQUIRED)
		@DistributedLock(name = "stock", key = "'1'")
		public void takeInTransaction(RecordingProvider provider, boolean lose) {
			take(provider);
			if (lose) {
				provider.loseLast();
			}
		}

		@DistributedLock(name = "stock", key = "'1'", waitTime = "1m")
		public void readAndWrite() {
			write();
		}

		@DistributedLock(name = "stock", key = "'1'", waitTime = "1m", release = ReleaseTime.AFTER_METHOD)
		public void readAndWriteAndReleaseAtOnce() {
			write();
		}

		private void takeOne(RecordingProvider provider) {
			provider.record("take");
			this.jdbcTemplate.update("update stock set amount = amount - 1");
		}

		private void write() {
			int amount = left();
			this.reads.incrementAndGet();
			this.jdbcTemplate.update("update stock set amount = ?", amount - 1);
		}

		int left() {
			return this.jdbcTemplate.queryForObject("select amount from stock where id = 1", Integer.class);
		}

		int reads() {
			return this.reads.get();
		}

	}

}
