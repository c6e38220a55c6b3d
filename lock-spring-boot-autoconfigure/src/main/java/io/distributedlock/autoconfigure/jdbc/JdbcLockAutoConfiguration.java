package io.distributedlock.autoconfigure.jdbc;

import java.sql.SQLException;
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.distributedlock.annotation.InvalidLockSetupException;
import io.distributedlock.autoconfigure.ConditionalOnLockProvider;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockProperties;
import io.distributedlock.autoconfigure.connection.ChosenBean;
import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockSchema;
import io.distributedlock.jdbc.JdbcLockSettings;
import io.distributedlock.jdbc.JdbcLocks;
import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of locks on a database. It uses the database that
 * {@code lock.jdbc.url} names, otherwise the application's {@link DataSource}.
 *
 * @since 0.1
 */
@AutoConfiguration(before = DistributedLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
@ConditionalOnClass(JdbcLocks.class)
@ConditionalOnLockProvider(JdbcLocks.NAME)
@EnableConfigurationProperties({ LockProperties.class, JdbcLockProperties.class })
public final class JdbcLockAutoConfiguration {

	/**
	 * HikariCP refuses shorter ones.
	 */
	private static final long SHORTEST_TIMEOUT_MILLIS = 250;

	@Bean
	@Conditional(NoOwnProvider.class)
	LockDatabase distributedLockDatabase(JdbcLockProperties properties, LockProperties lock,
			ObjectProvider<DataSource> dataSources, ResourceLoader resources) {
		String url = properties.url();
		if (url != null) {
			SeparateDatabase.requireAvailable(url, resources.getClassLoader());
			return LockDatabase.open(properties, lock);
		}
		DataSource dataSource = ChosenBean.of(JdbcLocks.NAME, DataSource.class, dataSources,
				"set lock.jdbc.url to use a separate database for locks");
		if (dataSource == null) {
			throw new InvalidLockSetupException("The provider 'jdbc' has no database: there is no DataSource bean.",
					"Set spring.datasource.url; or set lock.jdbc.url to use a separate database for locks, as where the application uses R2DBC: Spring Boot makes no DataSource beside that.",
					null);
		}
		requireTarget(dataSource);
		return new LockDatabase(dataSource, null);
	}

	/**
	 * Require a database for the threads of locks, which have no tenant. A
	 * {@code DataSource} that routes asks its target whether it is a wrapper, without a
	 * connection.
	 */
	private static void requireTarget(DataSource dataSource) {
		try {
			dataSource.isWrapperFor(LockDatabase.class);
		}
		catch (SQLException | UnsupportedOperationException ex) {
			// some data sources cannot say it
		}
		catch (RuntimeException ex) {
			throw new InvalidLockSetupException(
					"The DataSource, an AbstractRoutingDataSource or alike, has no database for the threads of locks, which belong to no tenant: %s."
						.formatted(ex.getMessage()),
					"Set lock.jdbc.url to one database for the locks of all tenants; or give the DataSource a default target.",
					ex);
		}
	}

	// a migration refuses a database in which the tables of locks are already
	@Bean
	@DependsOnDatabaseInitialization
	@Conditional(NoOwnProvider.class)
	LockProvider distributedLockProviderJdbc(LockDatabase database, JdbcLockProperties properties,
			LockProperties lock) {
		JdbcDialect dialect = properties.dialect();
		try {
			if (dialect == null) {
				dialect = JdbcDialect.detect(database.dataSource());
			}
			if (createsSchema(properties.initializeSchema(), dialect)) {
				JdbcLockSchema.create(database.dataSource(), dialect);
			}
		}
		catch (IllegalStateException ex) {
			throw new InvalidLockSetupException(String.valueOf(ex.getMessage()), (ex.getCause() != null)
					? "Start the database, and check its URL, user and password. To start the application while the database is down, set lock.jdbc.dialect and lock.jdbc.initialize-schema=never."
					: "Set lock.jdbc.url to a separate database for locks: H2, PostgreSQL, MariaDB or MySQL.", ex);
		}
		try {
			return JdbcLocks.provider(database.dataSource(), settings(dialect, properties, lock));
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException(String.valueOf(ex.getMessage()),
					"Set lock.jdbc.strategy to one that the database supports.", ex);
		}
	}

	private static JdbcLockSettings settings(JdbcDialect dialect, JdbcLockProperties properties, LockProperties lock) {
		if (properties.sweepAfter().isNegative()) {
			throw new InvalidLockSetupException(
					"lock.jdbc.sweep-after must not be negative but is " + properties.sweepAfter(),
					"Set lock.jdbc.sweep-after to a time such as 7d.", null);
		}
		try {
			return JdbcLockSettings.of(dialect)
				.withStrategy(properties.strategy())
				.withCommandTimeout(lock.commandTimeout())
				.withThreads(properties.threads())
				.withMaxLockConnections(properties.maxLockConnections())
				.withSweepAfter(properties.sweepAfter());
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockSetupException(
					"lock.jdbc.threads is %s and lock.jdbc.max-lock-connections is %s: %s."
						.formatted(properties.threads(), properties.maxLockConnections(), ex.getMessage()),
					"Set lock.jdbc.threads and lock.jdbc.max-lock-connections to at least 1.", ex);
		}
	}

	private static boolean createsSchema(JdbcLockProperties.SchemaInitialization when, JdbcDialect dialect) {
		return switch (when) {
			case ALWAYS -> true;
			case EMBEDDED -> dialect == JdbcDialect.H2;
			case NEVER -> false;
		};
	}

	/**
	 * Whether the application has no provider of its own, which needs no database from
	 * here. It is known by its name, and is no bean of another library with that name.
	 */
	static final class NoOwnProvider implements ConfigurationCondition {

		private static final String NAME = "jdbcLockProvider";

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			BeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
			return !beans.containsBean(NAME) || !beans.isTypeMatch(NAME, LockProvider.class);
		}

	}

	/**
	 * The database that keeps the locks. A pool that is opened for locks is not a
	 * {@link DataSource} bean itself: Spring Boot would then not configure the one of the
	 * application.
	 *
	 * @param dataSource the connections
	 * @param own the pool to close, if it was opened for locks
	 */
	record LockDatabase(DataSource dataSource, @Nullable AutoCloseable own) implements DisposableBean {

		static LockDatabase open(JdbcLockProperties properties, LockProperties lock) {
			HikariDataSource pool = new HikariDataSource();
			pool.setPoolName("lock");
			String url = Objects.requireNonNull(properties.url());
			pool.setJdbcUrl(url);
			if (url.startsWith("jdbc:postgresql:")) {
				// otherwise one connection that falls silent while it is opened blocks
				// the pool for good; the URL may say another time
				pool.addDataSourceProperty("loginTimeout", Math.max(lock.commandTimeout().toSeconds(), 1));
			}
			pool.setUsername(properties.username());
			pool.setPassword(properties.password());
			// the dialect does not matter: it does not change the number of connections
			pool.setMaximumPoolSize(settings(JdbcDialect.H2, properties, lock).connections());
			pool.setMinimumIdle(1);
			// shorter than the command time-out of the engine, so that the error of the
			// pool, which names the cause, arrives before the engine's time-out
			pool.setConnectionTimeout(Math.max(lock.commandTimeout().toMillis() * 4 / 5, SHORTEST_TIMEOUT_MILLIS));
			pool.setInitializationFailTimeout(-1);
			// after a failover, new connections lead to the primary
			pool.setExceptionOverride(new SQLExceptionOverride() {

				@java.lang.Override
				public SQLExceptionOverride.Override adjudicate(SQLException failure) {
					return JdbcLocks.isReadOnly(failure) ? SQLExceptionOverride.Override.MUST_EVICT
							: SQLExceptionOverride.Override.CONTINUE_EVICT;
				}

			});
			return new LockDatabase(pool, pool);
		}

		@Override
		public void destroy() throws Exception {
			if (this.own != null) {
				this.own.close();
			}
		}

	}

}
