/**
 * Locks on a database, by plain JDBC: {@link io.distributedlock.jdbc.JdbcLocks} makes
 * providers from {@link io.distributedlock.jdbc.JdbcLockSettings}; also the schema and a
 * resource that refuses late writers.
 */
@NullMarked
package io.distributedlock.jdbc;

import org.jspecify.annotations.NullMarked;
