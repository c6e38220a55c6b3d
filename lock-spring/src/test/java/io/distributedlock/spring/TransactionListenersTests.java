package io.distributedlock.spring;

import java.util.List;

import javax.sql.DataSource;

import io.r2dbc.spi.ConnectionFactories;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * An application starts also with a transaction manager that takes no listener.
 */
class TransactionListenersTests {

	private final RecordingProvider provider = new RecordingProvider();

	@Test
	void managerWithAFixedListOfListenersIsNoReasonNotToStart() {
		assertThatNoException().isThrownBy(() -> Contexts.open(this.provider, false, true,
				(context) -> context.registerBean(PlatformTransactionManager.class, () -> {
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
	void managerOfAScopeThatIsNotActiveAtStartIsNoReasonNotToStart() {
		// this starts without the library
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

	private static DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
	}

	static class Nothing implements TransactionExecutionListener {

		@Override
		public void beforeBegin(TransactionExecution transaction) {
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
