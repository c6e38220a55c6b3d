package io.distributedlock.spring;

import java.util.Objects;

import javax.sql.DataSource;

import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.r2dbc.config.AbstractR2dbcConfiguration;
import org.springframework.data.r2dbc.core.R2dbcEntityOperations;
import org.springframework.data.r2dbc.repository.config.EnableR2dbcRepositories;
import org.springframework.data.r2dbc.repository.support.R2dbcRepositoryFactoryBean;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.core.support.RepositoryFactorySupport;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A repository of Spring Data starts its transactions inside of its own proxy, whose last
 * advice calls no further one. These transactions do not commit without the lock either.
 */
@Tag("proxies")
class RepositoryTransactionTests {

	private static final String TAKE = "acquire t:stock:1";

	private static final String GIVE = "release t:stock:1";

	private static final String TABLE = "create table \"stock\" (\"ID\" int primary key, \"AMOUNT\" int)";

	private static final String ROW = "insert into \"stock\" values (1, 10)";

	private final RecordingProvider provider = new RecordingProvider();

	private AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void reactiveRepository() {
		ReactiveStocks stocks = open(Reactive.class).getBean(ReactiveStocks.class);
		stocks.save(new Stock(1L, 9)).block();
		assertThat(this.provider.events()).containsExactly(TAKE, "begin", "committed", GIVE);
		assertThat(stocks.findById(1L).map(Stock::amount).block()).isEqualTo(9);
	}

	@Test
	void reactiveRepositoryWithoutItsLock() {
		ReactiveStocks stocks = open(Reactive.class).getBean(ReactiveStocks.class);
		StepVerifier.create(stocks.save(new Stock(1L, -1))).verifyError(LockLostException.class);
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "rolled back").doesNotContain("committed");
		assertThat(stocks.findById(1L).map(Stock::amount).block()).isEqualTo(10);
	}

	@Test
	void repository() {
		Stocks stocks = open(Blocking.class).getBean(Stocks.class);
		stocks.save(new Stock(1L, 9));
		assertThat(this.provider.events()).containsExactly(TAKE, "begin", "commit", GIVE);
		assertThat(stocks.findById(1L)).map(Stock::amount).contains(9);
	}

	@Test
	void repositoryWithoutItsLock() {
		Stocks stocks = open(Blocking.class).getBean(Stocks.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stocks.save(new Stock(1L, -1)));
		assertThat(this.provider.events()).startsWith(TAKE, "begin", "rollback").doesNotContain("commit");
		assertThat(stocks.findById(1L)).map(Stock::amount).contains(10);
	}

	private AnnotationConfigApplicationContext open(Class<?> config) {
		this.context = Contexts.open(this.provider, false, true, (context) -> {
			context.registerBean(RecordingProvider.class, () -> this.provider);
			context.register(config);
		});
		return this.context;
	}

	@Table("stock")
	record Stock(@Id Long id, int amount) {
	}

	interface ReactiveStocks extends ReactiveCrudRepository<Stock, Long> {

		@Override
		@Transactional
		@DistributedLock(name = "stock", key = "'1'")
		<S extends Stock> Mono<S> save(S stock);

	}

	interface Stocks extends CrudRepository<Stock, Long> {

		@Override
		@DistributedLock(name = "stock", key = "'1'")
		<S extends Stock> S save(S stock);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableR2dbcRepositories(considerNestedRepositories = true, repositoryFactoryBeanClass = TransactionalFactory.class,
			includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = ReactiveStocks.class))
	static class Reactive extends AbstractR2dbcConfiguration {

		private final ConnectionFactory connections = ConnectionFactories
			.get("r2dbc:h2:mem:///" + System.nanoTime() + "?options=DB_CLOSE_DELAY=-1");

		@Override
		@Bean
		public ConnectionFactory connectionFactory() {
			return this.connections;
		}

		@Bean
		ReactiveTransactionManager transactionManager(RecordingProvider provider) {
			DatabaseClient client = DatabaseClient.create(this.connections);
			client.sql(TABLE).then().block();
			client.sql(ROW).then().block();
			return new ReactiveTransactionTests.RecordingTransactionManager(this.connections, provider);
		}

		@Bean
		org.springframework.data.r2dbc.mapping.event.BeforeConvertCallback<Stock> loss(RecordingProvider provider) {
			return (stock, table) -> Mono.fromSupplier(() -> {
				if (stock.amount() < 0) {
					provider.loseLast();
				}
				return stock;
			});
		}

	}

	/**
	 * Starts transactions as the factories of JPA, JDBC and Neo4j do.
	 */
	static class TransactionalFactory extends R2dbcRepositoryFactoryBean<ReactiveStocks, Stock, Long> {

		private @Nullable BeanFactory beans;

		TransactionalFactory(Class<? extends ReactiveStocks> type) {
			super(type);
		}

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			super.setBeanFactory(beanFactory);
			this.beans = beanFactory;
		}

		@Override
		protected RepositoryFactorySupport getFactoryInstance(R2dbcEntityOperations operations) {
			RepositoryFactorySupport factory = super.getFactoryInstance(operations);
			TransactionManager transactions = Objects.requireNonNull(this.beans)
				.getBean(ReactiveTransactionManager.class);
			factory.addRepositoryProxyPostProcessor((proxy, repository) -> proxy
				.addAdvice(new TransactionInterceptor(transactions, new AnnotationTransactionAttributeSource())));
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableJdbcRepositories(considerNestedRepositories = true,
			includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Stocks.class))
	static class Blocking extends AbstractJdbcConfiguration {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		NamedParameterJdbcOperations jdbcOperations(DataSource dataSource) {
			JdbcTemplate jdbcTemplate = new JdbcTemplate(dataSource);
			jdbcTemplate.execute(TABLE);
			jdbcTemplate.update(ROW);
			return new NamedParameterJdbcTemplate(jdbcTemplate);
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource, RecordingProvider provider) {
			return new TransactionOrderTests.RecordingTransactionManager(dataSource, provider);
		}

		@Bean
		BeforeConvertCallback<Stock> loss(RecordingProvider provider) {
			return (stock) -> {
				if (stock.amount() < 0) {
					provider.loseLast();
				}
				return stock;
			};
		}

	}

}
