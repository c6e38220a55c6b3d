package io.distributedlock.spring;

import java.util.function.Consumer;

import javax.sql.DataSource;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.ReleaseTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A method whose caller's transaction may have read before the lock is warned of once, if
 * that transaction reads what it saw first. What the warning is about, an update that is
 * lost, is shown with MariaDB in the application for databases. A woven lock is inside a
 * transaction of its own method, which it cannot tell from that of the caller.
 */
@Tag("proxies")
@ExtendWith(OutputCaptureExtension.class)
class OldSnapshotTests {

	private static final int REPEATABLE = TransactionDefinition.ISOLATION_REPEATABLE_READ;

	private AnnotationConfigApplicationContext context;

	private Stock stock;

	@BeforeEach
	void open() {
		this.context = Contexts.open(new RecordingProvider(), false, true, (context) -> context.register(Config.class));
		this.stock = this.context.getBean(Stock.class);
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void transactionThatBeganBeforeIsToldOnce(CapturedOutput output) {
		inTransaction(REPEATABLE, Stock::take);
		inTransaction(REPEATABLE, Stock::take);
		assertThat(output).containsOnlyOnce("Stock.take acquired its lock inside a transaction that began before");
	}

	@Test
	void otherIsolationIsNotTold(CapturedOutput output) {
		inTransaction(TransactionDefinition.ISOLATION_READ_COMMITTED, Stock::take);
		inTransaction(TransactionDefinition.ISOLATION_DEFAULT, Stock::take);
		assertThat(output).doesNotContain("REPEATABLE READ");
	}

	@Test
	void transactionThatBeginsUnderTheLockIsNotTold(CapturedOutput output) {
		this.stock.take();
		this.stock.takeInTransaction();
		inTransaction(REPEATABLE, Stock::takeInNewTransaction);
		inTransaction(REPEATABLE, Stock::takeUntilTheMethodEnds);
		assertThat(output).doesNotContain("REPEATABLE READ");
	}

	@Test
	void methodThatEntersTheLockAgainIsNotTold(CapturedOutput output) {
		this.stock.with(() -> inTransaction(REPEATABLE, Stock::take));
		assertThat(output).doesNotContain("REPEATABLE READ");
		inTransaction(REPEATABLE, Stock::take);
		assertThat(output).contains("REPEATABLE READ");
	}

	@Test
	void eachOfSeveralLocksCounts(CapturedOutput output) {
		inTransaction(REPEATABLE, Stock::takeTwo);
		assertThat(output).containsOnlyOnce("Stock.takeTwo acquired its lock");
	}

	private void inTransaction(int isolation, Consumer<Stock> work) {
		TransactionTemplate transaction = new TransactionTemplate(
				this.context.getBean(PlatformTransactionManager.class));
		transaction.setIsolationLevel(isolation);
		transaction.executeWithoutResult((status) -> work.accept(this.stock));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Config {

		@Bean
		DataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:");
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	static class Stock {

		@DistributedLock(name = "stock", key = "'1'")
		public void take() {
			// the caller asserts what is written
		}

		@DistributedLock(name = "stock", key = "'1'")
		@DistributedLock(name = "stock", key = "'2'")
		public void takeTwo() {
			// the caller asserts what is written
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		public void takeInTransaction() {
			// the caller asserts what is written
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "stock", key = "'1'")
		public void takeInNewTransaction() {
			// the caller asserts what is written
		}

		@DistributedLock(name = "stock", key = "'1'", release = ReleaseTime.AFTER_METHOD)
		public void takeUntilTheMethodEnds() {
			// the caller asserts what is written
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void with(Runnable work) {
			work.run();
		}

	}

}
