package io.distributedlock.autoconfigure.jdbc;

import java.time.Duration;

import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockStrategy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration of locks on a database.
 *
 * @since 0.1
 */
@ConfigurationProperties("lock.jdbc")
public class JdbcLockProperties {

	/**
	 * How locks are made of rows: "row", "version" or "for-update".
	 */
	private JdbcLockStrategy strategy = JdbcLockStrategy.ROW;

	/**
	 * What the database speaks: "h2", "postgresql", "mariadb" or "mysql". By default the
	 * database is asked when the application starts.
	 */
	private @Nullable JdbcDialect dialect;

	/**
	 * When to create the tables of locks: "always", "embedded" (H2) or "never".
	 */
	private SchemaInitialization initializeSchema = SchemaInitialization.EMBEDDED;

	/**
	 * How many attempts run at a time, each with a connection of its own. Half as many
	 * more, at least two, renew and release.
	 */
	private int threads = 4;

	/**
	 * How many connections hold locks at a time, with the strategy "for-update".
	 */
	private int maxLockConnections = 10;

	/**
	 * How long the row of a key that nobody uses is kept.
	 */
	private Duration sweepAfter = Duration.ofDays(7);

	/**
	 * JDBC URL of a database for locks alone. By default locks use the DataSource of the
	 * application.
	 */
	private @Nullable String url;

	/**
	 * User of the database for locks.
	 */
	private @Nullable String username;

	/**
	 * Password of the database for locks.
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
	 * When to create the tables.
	 */
	public enum SchemaInitialization {

		/**
		 * Whenever the application starts; what is there is left alone.
		 */
		ALWAYS,

		/**
		 * On H2 only.
		 */
		EMBEDDED,

		/**
		 * Never: Flyway, Liquibase or somebody else does.
		 */
		NEVER

	}

}
