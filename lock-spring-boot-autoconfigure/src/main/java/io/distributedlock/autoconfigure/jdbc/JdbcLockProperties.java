package io.distributedlock.autoconfigure.jdbc;

import java.time.Duration;

import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockStrategy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of locks on a database.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.jdbc")
public class JdbcLockProperties {

	/**
	 * How the database represents locks: "row" keeps owner and expiry in one row for each
	 * key, "version" changes the same row by compare-and-set on a version, "for-update"
	 * holds the row lock of an open transaction, and "advisory" holds a lock that
	 * PostgreSQL, MariaDB and MySQL keep in memory.
	 */
	private JdbcLockStrategy strategy = JdbcLockStrategy.ROW;

	/**
	 * SQL dialect of the database: "h2", "postgresql", "mariadb" or "mysql". By default
	 * it is detected when the application starts, so the database must be up.
	 */
	private @Nullable JdbcDialect dialect;

	/**
	 * Whether to create the tables for locks when the application starts: "always",
	 * "embedded" (only on H2) or "never".
	 */
	private SchemaInitialization initializeSchema = SchemaInitialization.EMBEDDED;

	/**
	 * Number of threads for attempts, at least 1. Each thread uses one connection at a
	 * time. Half as many further threads, but at least two, renew and release leases.
	 */
	private int threads = 4;

	/**
	 * Number of locks that can be held at the same time with the strategies "for-update"
	 * and "advisory", at least 1. Each of these locks occupies one connection.
	 */
	private int maxLockConnections = 10;

	/**
	 * How long the row of an unused key is kept before it is deleted, such as 7d. The row
	 * counts the fencing tokens of its key.
	 */
	private Duration sweepAfter = Duration.ofDays(7);

	/**
	 * JDBC URL of a separate database for locks, which gets its own connection pool. By
	 * default the DataSource bean of the application is used.
	 */
	private @Nullable String url;

	/**
	 * User of the separate database for locks.
	 */
	private @Nullable String username;

	/**
	 * Password of the separate database for locks.
	 */
	private @Nullable String password;

	public JdbcLockStrategy getStrategy() {
		return this.strategy;
	}

	public void setStrategy(JdbcLockStrategy strategy) {
		this.strategy = strategy;
	}

	public @Nullable JdbcDialect getDialect() {
		return this.dialect;
	}

	public void setDialect(@Nullable JdbcDialect dialect) {
		this.dialect = dialect;
	}

	public SchemaInitialization getInitializeSchema() {
		return this.initializeSchema;
	}

	public void setInitializeSchema(SchemaInitialization initializeSchema) {
		this.initializeSchema = initializeSchema;
	}

	public int getThreads() {
		return this.threads;
	}

	public void setThreads(int threads) {
		this.threads = threads;
	}

	public int getMaxLockConnections() {
		return this.maxLockConnections;
	}

	public void setMaxLockConnections(int maxLockConnections) {
		this.maxLockConnections = maxLockConnections;
	}

	public Duration getSweepAfter() {
		return this.sweepAfter;
	}

	public void setSweepAfter(Duration sweepAfter) {
		this.sweepAfter = sweepAfter;
	}

	public @Nullable String getUrl() {
		return this.url;
	}

	public void setUrl(@Nullable String url) {
		this.url = url;
	}

	public @Nullable String getUsername() {
		return this.username;
	}

	public void setUsername(@Nullable String username) {
		this.username = username;
	}

	public @Nullable String getPassword() {
		return this.password;
	}

	public void setPassword(@Nullable String password) {
		this.password = password;
	}

	/**
	 * When to create the tables for locks.
	 */
	public enum SchemaInitialization {

		/**
		 * At each start of the application. Existing tables are not changed.
		 */
		ALWAYS,

		/**
		 * At each start of the application, but only on H2.
		 */
		EMBEDDED,

		/**
		 * Never. Create the tables in another way, such as with Flyway or Liquibase.
		 */
		NEVER

	}

}
