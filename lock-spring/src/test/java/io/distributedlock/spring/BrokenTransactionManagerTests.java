package io.distributedlock.spring;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.r2dbc.spi.ConnectionFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Broken: managers of transactions that cannot be listened to keep the application from
 * starting, or are not listened to.
 */
@Tag("proxies")
class BrokenTransactionManagerTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void managerWithAFixedListOfListenersIsNoReasonNotToStart() {
		assertThatNoException().isThrownBy(() -> Contexts
			.open(this.provider, false, true, (context) -> context.registerBean(PlatformTransactionManager.class, () -> {
				DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource());
				manager.setTransactionExecutionListeners(List.of(new Nothing()));
				return manager;
			}))
			.close());
	}

	@Test
	void reactiveManagerWithAFixedListOfListenersIsNoReasonNotToStart() {
		assertThatNoException().isThrownBy(() -> Contexts
			.open(this.provider, false, true, (context) -> context.registerBean(R2dbcTransactionManager.class, () -> {
				R2dbcTransactionManager manager = new R2dbcTransactionManager(
						ConnectionFactories.get("r2dbc:h2:mem:///" + System.nanoTime()));
				manager.setTransactionExecutionListeners(List.of(new Nothing()));
				return manager;
			}))
			.close());
	}

	@Test
	void listenersThatAreSetWhenAllBeansAreThereLeaveTheCheckAlone() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.registerBean(PlatformTransactionManager.class,
					() -> new DataSourceTransactionManager(dataSource()));
			beans.registerBean(Shelf.class, () -> new Shelf(this.provider));
		})) {
			DataSourceTransactionManager manager = context.getBean(DataSourceTransactionManager.class);
			manager.setTransactionExecutionListeners(new ArrayList<>(List.of(new Nothing())));
			TransactionTemplate transaction = new TransactionTemplate(manager);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Shelf.class).take(transaction));
		}
	}

	@Test
	void managerThatIsMadeByAnEarlyFactoryIsChecked() {
		try (AnnotationConfigApplicationContext context = Contexts.open(this.provider, false, true, (beans) -> {
			beans.register(EarlyFactoryOfManager.class);
			beans.registerBean(Shelf.class, () -> new Shelf(this.provider));
		})) {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Shelf.class).take(transaction));
		}
	}

	@Test
	void managerOfAScopeThatIsNotActiveAtStartIsNoReasonNotToStart() {
		// without the library this starts
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory().registerScope("tenant", new NoTenant());
			context.register(Tenants.class);
			context.refresh();
		}
		assertThatNoException().isThrownBy(() -> Contexts.open(this.provider, false, true, (context) -> {
			context.getBeanFactory().registerScope("tenant", new NoTenant());
			context.register(Tenants.class);
		}).close());
	}

	@Test
	void mockOfAManagerIsLeftAlone() {
		DataSourceTransactionManager manager = Mockito.mock(DataSourceTransactionManager.class);
		Contexts
			.open(this.provider, false, true,
					(context) -> context.getBeanFactory().registerSingleton("transactionManager", manager))
			.close();
		Mockito.verifyNoInteractions(manager);
	}

	private static DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
	}

	static class Nothing implements TransactionExecutionListener {

		@Override
		public void beforeBegin(TransactionExecution transaction) {
		}

	}

	static class Shelf {

		private final RecordingProvider provider;

		Shelf(RecordingProvider provider) {
			this.provider = provider;
		}

		@DistributedLock(name = "stock", key = "'1'")
		public void take(TransactionTemplate transaction) {
			transaction.executeWithoutResult((status) -> this.provider.loseLast());
		}

	}

	static class First implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class ManagerFactory implements FactoryBean<DataSourceTransactionManager> {

		@Override
		public DataSourceTransactionManager getObject() {
			return new DataSourceTransactionManager(dataSource());
		}

		@Override
		public Class<?> getObjectType() {
			return DataSourceTransactionManager.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyFactoryOfManager {

		@Bean
		static ManagerFactory transactionManager() {
			return new ManagerFactory();
		}

		@Bean
		static First first(PlatformTransactionManager transactionManager) {
			return new First();
		}

	}

	static class NoTenant extends SimpleThreadScope {

		@Override
		public Object get(String name, ObjectFactory<?> objectFactory) {
			throw new IllegalStateException("there is no tenant");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		@Scope(scopeName = "tenant", proxyMode = ScopedProxyMode.INTERFACES)
		DataSourceTransactionManager transactionManager() {
			return new DataSourceTransactionManager(dataSource());
		}

		@Bean
		TransactionTemplate transactionTemplate(PlatformTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

	}

}
