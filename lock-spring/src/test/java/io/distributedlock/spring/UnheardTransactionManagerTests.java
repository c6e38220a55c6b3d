package io.distributedlock.spring;

import javax.sql.DataSource;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * No transaction commits under a lost lock, also if its manager takes no listeners or
 * belongs to another context.
 */
class UnheardTransactionManagerTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void managerThatWrapsAnother() {
		try (AnnotationConfigApplicationContext context = open(null, Wrapped.class)) {
			assertThatOwnTransactionsAreRolledBack(context);
		}
	}

	@Test
	void managerOfTheParentContext() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
			parent.registerBean(RecordingProvider.class, () -> this.provider);
			parent.register(Plain.class);
			parent.refresh();
			try (AnnotationConfigApplicationContext context = open(parent, Nothing.class)) {
				assertThatOwnTransactionsAreRolledBack(context);
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(context.getBean(Warehouse.class)::takeByTemplate);
				assertThat(this.provider.events()).doesNotContain("commit");
			}
		}
	}

	private void assertThatOwnTransactionsAreRolledBack(AnnotationConfigApplicationContext context) {
		Warehouse warehouse = context.getBean(Warehouse.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> warehouse.take(true));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> warehouse.takeInANewTransaction(true));
		TransactionTemplate callers = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> callers.executeWithoutResult((status) -> warehouse.takeInANewTransaction(true)));
		assertThat(this.provider.events()).doesNotContain("commit");
		warehouse.take(false);
		assertThat(this.provider.events()).contains("commit");
		this.provider.events().clear();
	}

	private AnnotationConfigApplicationContext open(AnnotationConfigApplicationContext parent, Class<?> config) {
		return Contexts.open(this.provider, false, true, (context) -> {
			if (parent != null) {
				context.setParent(parent);
			}
			else {
				context.registerBean(RecordingProvider.class, () -> this.provider);
			}
			context.register(config);
			context.registerBean(Warehouse.class);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingProvider provider) {
			return new TransactionOrderTests.RecordingTransactionManager(dataSource, provider);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Nothing {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Wrapped {

		@Bean
		DataSource dataSource() {
			return new Plain().dataSource();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingProvider provider) {
			return new Wrapper(new Plain().transactionManager(dataSource, provider));
		}

	}

	/**
	 * As a library for tracing does.
	 */
	private record Wrapper(PlatformTransactionManager manager) implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(TransactionDefinition definition) {
			return this.manager.getTransaction(definition);
		}

		@Override
		public void commit(TransactionStatus status) {
			this.manager.commit(status);
		}

		@Override
		public void rollback(TransactionStatus status) {
			this.manager.rollback(status);
		}

	}

	static class Warehouse {

		private final RecordingProvider provider;

		private final PlatformTransactionManager transactions;

		Warehouse(RecordingProvider provider, PlatformTransactionManager transactions) {
			this.provider = provider;
			this.transactions = transactions;
		}

		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		public void take(boolean lose) {
			lose(lose);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "stock", key = "'1'")
		public void takeInANewTransaction(boolean lose) {
			lose(lose);
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void takeByTemplate() {
			new TransactionTemplate(this.transactions).executeWithoutResult((status) -> lose(true));
		}

		private void lose(boolean lose) {
			if (lose) {
				this.provider.loseLast();
			}
		}

	}

}
