/**
 * Locks on a database, by plain JDBC: {@link io.distributedlock.jdbc.JdbcLocks} makes
 * providers from {@link io.distributedlock.jdbc.JdbcLockSettings}; also the schema and a
 * resource that refuses late writers.
 * <p>
 * The rooms inside. Two of them do not know each other, and use those below:
 *
 * <pre>
 * internal.table     locks that are rows with the end of a lease (TableLockProvider), by
 *                    statements on two tables (LockTable, MemberTable); the calls of this
 *                    JVM that wait in a queue (TableLines)
 * internal.session   locks that end with their connection (SessionLockProvider): RowLocks and
 *                    AdvisoryLocks
 * internal.signal    releases are announced (ReleaseAnnouncements) and heard
 *                    (PostgresReleases)
 * internal.call      calls on threads with connections of their own (JdbcCalls, Session),
 *                    the SqlDialect of a database, and what its errors mean (JdbcErrors)
 * </pre>
 * <p>
 * Covered by {@code PostgresRowKitTests} and {@code JdbcSchemaTests}.
 */
@NullMarked
package io.distributedlock.jdbc;

import org.jspecify.annotations.NullMarked;
