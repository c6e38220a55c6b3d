package io.distributedlock.spring;

import javax.sql.DataSource;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The lock is outside the transaction of the same method: the next owner sees what was
 * committed.
 */
@Tag("proxies")
class TransactionOrderTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void transactionEndsBeforeTheRelease() {
		try (AnnotationConfigApplicationContext context = open()) {
			Accounts accounts = context.getBean(Accounts.class);
			accounts.deposit("a");
			assertThat(this.provider.events()).containsExactly("acquire t:Accounts.deposit:a", "begin", "commit",
					"release t:Accounts.deposit:a");
			assertThat(
					context.getBean(JdbcTemplate.class).queryForObject("select count(*) from deposit", Integer.class))
				.isEqualTo(1);
		}
	}

	@Test
	void rollbackEndsBeforeTheReleaseToo() {
		try (AnnotationConfigApplicationContext context = open()) {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatIllegalStateException().isThrownBy(() -> accounts.fail("a"));
			assertThat(this.provider.events()).containsExactly("acquire t:Accounts.fail:a", "begin", "rollback",
					"release t:Accounts.fail:a");
			assertThat(
					context.getBean(JdbcTemplate.class).queryForObject("select count(*) from deposit", Integer.class))
				.isZero();
		}
	}

	private AnnotationConfigApplicationContext open() {
		return Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(RecordingProvider.class, () -> this.provider);
			context.register(Config.class);
		});
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
			jdbcTemplate.execute("create table deposit (account varchar(10))");
			return jdbcTemplate;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingProvider provider) {
			return new RecordingTransactionManager(dataSource, provider);
		}

		@Bean
		Accounts accounts(JdbcTemplate jdbcTemplate) {
			return new Accounts(jdbcTemplate);
		}

	}

	static class Accounts {

		private final JdbcTemplate jdbcTemplate;

		Accounts(JdbcTemplate jdbcTemplate) {
			this.jdbcTemplate = jdbcTemplate;
		}

		@Transactional
		@DistributedLock("#account")
		public void deposit(String account) {
			this.jdbcTemplate.update("insert into deposit values (?)", account);
		}

		@Transactional
		@DistributedLock("#account")
		public void fail(String account) {
			this.jdbcTemplate.update("insert into deposit values (?)", account);
			throw new IllegalStateException("after the insert");
		}

	}

	@SuppressWarnings("serial")
	static class RecordingTransactionManager extends DataSourceTransactionManager {

		private final RecordingProvider provider;

		RecordingTransactionManager(DataSource dataSource, RecordingProvider provider) {
			super(dataSource);
			this.provider = provider;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.provider.record("begin");
			super.doBegin(transaction, definition);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			super.doCommit(status);
			this.provider.record("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			super.doRollback(status);
			this.provider.record("rollback");
		}

	}

}
