package io.distributedlock.autoconfigure.jdbc;

import java.time.Duration;

import io.distributedlock.jdbc.JdbcDialect;
import io.distributedlock.jdbc.JdbcLockStrategy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of locks on a database.
 *
 * @param strategy How the database represents locks: "row" keeps owner and expiry in one
 * row for each key, "version" changes the same row by compare-and-set on a version,
 * "for-update" holds the row lock of an open transaction, and "advisory" holds a lock
 * that PostgreSQL, MariaDB and MySQL keep in memory.
 * @param dialect SQL dialect of the database: "h2", "postgresql", "mariadb" or "mysql".
 * By default it is detected when the application starts, so the database must be up.
 * @param initializeSchema Whether to create the tables for locks when the application
 * starts: "always", "embedded" (only on H2) or "never".
 * @param threads Number of threads for attempts, at least 1. Each thread uses one
 * connection at a time. Half as many further threads, but at least two, renew and release
 * leases.
 * @param maxLockConnections Number of locks that can be held at the same time with the
 * strategies "for-update" and "advisory", at least 1. Each of these locks occupies one
 * connection.
 * @param sweepAfter How long the row of an unused key is kept before it is deleted, such
 * as 7d. The row counts the fencing tokens of its key.
 * @param url JDBC URL of a separate database for locks, which gets its own connection
 * pool. By default the DataSource bean of the application is used.
 * @param username User of the separate database for locks.
 * @param password Password of the separate database for locks.
 * @since 0.1
 */
@ConfigurationProperties("lock.jdbc")
public record JdbcLockProperties(@DefaultValue("row") JdbcLockStrategy strategy, @Nullable JdbcDialect dialect,
		@DefaultValue("embedded") SchemaInitialization initializeSchema, @DefaultValue("4") int threads,
		@DefaultValue("10") int maxLockConnections, @DefaultValue("7d") Duration sweepAfter, @Nullable String url,
		@Nullable String username, @Nullable String password) {

	@Override
	public String toString() {
		// without URL and password
		return "JdbcLockProperties[strategy=%s, dialect=%s]".formatted(this.strategy, this.dialect);
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
