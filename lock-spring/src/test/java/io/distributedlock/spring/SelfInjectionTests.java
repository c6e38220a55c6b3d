package io.distributedlock.spring;

import io.distributedlock.annotation.DistributedLock;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.integration.annotation.Transformer;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A bean that is injected into itself, or into a bean that it needs, has its lock and its
 * transaction on both ways.
 */
@Tag("proxies")
class SelfInjectionTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void beanThatIsInjectedIntoItselfHasItsLockAndItsTransaction() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Transactions.class,
				Own.class)) {
			Own own = context.getBean(Own.class);
			assertThat(own.run("1")).isEqualTo("t:own:1 true");
			assertThat(own.runSelf("2")).isEqualTo("t:own:2 true");
			assertThat(this.provider.events()).containsExactly("acquire t:own:1", "release t:own:1", "acquire t:own:2",
					"release t:own:2");
		}
	}

	@Test
	void beansThatNeedEachOtherHaveTheirLocks() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Transactions.class,
				First.class, Second.class)) {
			assertThat(context.getBean(First.class).run("1")).isEqualTo("t:first:1 true");
			assertThat(context.getBean(Second.class).runFirst("2")).isEqualTo("t:first:2 true");
		}
	}

	@Test
	void withoutOtherAdviceThereIsALockToo() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Own.class)) {
			assertThat(context.getBean(Own.class).run("1")).isEqualTo("t:own:1 false");
			assertThat(context.getBean(Own.class).runSelf("2")).isEqualTo("t:own:2 false");
		}
	}

	/**
	 * The post-processor for retries wraps the bean as it was.
	 */
	@Test
	void beanThatIsWrappedWithoutItsLockIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, Retries.class, Retried.class).close())
			.havingRootCause()
			.withMessageContaining("'retried'")
			.withMessageContaining("@Lazy");
	}

	/**
	 * The post-processor for schedules calls the bean as it was.
	 */
	@Test
	void beanThatIsCalledWithoutItsLockIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, Schedules.class, Timed.class).close())
			.havingRootCause()
			.withMessageContaining("'timed'")
			.withMessageContaining("@Lazy");
	}

	/**
	 * The post-processor for endpoints calls the bean as it was.
	 */
	@Test
	void beanThatSpringIntegrationCallsWithoutItsLockIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> Contexts.open(this.provider, false, Endpoints.class, Transforming.class).close())
			.havingRootCause()
			.withMessageContaining("'transforming'")
			.withMessageContaining("@Lazy");
	}

	@Test
	void beanThatIsToldOfEventsHasItsLock() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Told.class)) {
			context.publishEvent("1");
			assertThat(this.provider.events()).containsExactly("acquire t:told:1", "release t:told:1");
		}
	}

	/**
	 * The object that is created again was not needed early.
	 */
	@Test
	void beanThatIsCreatedAgainIsLocked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Own.class)) {
			DistributedLockBeanPostProcessor locks = context.getBean(DistributedLockBeanPostProcessor.class);
			locks.getEarlyBeanReference(new Own(), "again");
			assertThat(((Own) locks.postProcessAfterInitialization(new Own(), "again")).run("1"))
				.isEqualTo("t:own:1 false");
		}
	}

	@Test
	void lazyInjectionIsLocked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, Retries.class,
				LazilyRetried.class)) {
			assertThat(context.getBean(LazilyRetried.class).runSelf("1")).isEqualTo("t:lazy:1");
		}
	}

	private static String state() {
		return LockedBeans.heldKey() + " " + TransactionSynchronizationManager.isActualTransactionActive();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			JdbcDataSource dataSource = new JdbcDataSource();
			dataSource.setURL("jdbc:h2:mem:self-injection");
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Retries {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Schedules {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Endpoints {

	}

	static class Transforming {

		@Autowired
		@SuppressWarnings("UnusedVariable")
		private Transforming self;

		@Transformer(inputChannel = "in", outputChannel = "out")
		@DistributedLock(name = "transform", key = "#id")
		public String run(String id) {
			return id;
		}

	}

	static class Timed {

		@Autowired
		@SuppressWarnings("UnusedVariable")
		private Timed self;

		@Scheduled(fixedDelay = 1)
		@DistributedLock(name = "timed")
		public void run() {
		}

	}

	static class Told {

		@Autowired
		@SuppressWarnings("UnusedVariable")
		private Told self;

		@EventListener
		@DistributedLock(name = "told", key = "#id")
		public void run(String id) {
		}

	}

	static class Own {

		@Autowired
		private Own self;

		@Transactional
		@DistributedLock(name = "own", key = "#id")
		public String run(String id) {
			return state();
		}

		public String runSelf(String id) {
			return this.self.run(id);
		}

	}

	static class First {

		@Autowired
		@SuppressWarnings("UnusedVariable")
		private Second second;

		@Transactional
		@DistributedLock(name = "first", key = "#id")
		public String run(String id) {
			return state();
		}

	}

	static class Second {

		@Autowired
		private First first;

		public String runFirst(String id) {
			return this.first.run(id);
		}

	}

	static class Retried {

		@Autowired
		@SuppressWarnings("UnusedVariable")
		private Retried self;

		@Retryable
		@DistributedLock(key = "#id")
		public String run(String id) {
			return LockedBeans.heldKey();
		}

	}

	static class LazilyRetried {

		@Lazy
		@Autowired
		private LazilyRetried self;

		@Retryable
		@DistributedLock(name = "lazy", key = "#id")
		public String run(String id) {
			return LockedBeans.heldKey();
		}

		public String runSelf(String id) {
			return this.self.run(id);
		}

	}

}
