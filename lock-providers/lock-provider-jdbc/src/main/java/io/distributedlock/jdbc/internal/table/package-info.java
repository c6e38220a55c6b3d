/**
 * Internal: Locks that are rows with the end of a lease: the statements on the tables,
 * the leases, and the calls of this JVM that wait in the queue of a key.
 * <p>
 * Covered by {@code PostgresRowKitTests}, {@code TableLineTests} and
 * {@code TableQueueTests}.
 */
@NullMarked
package io.distributedlock.jdbc.internal.table;

import org.jspecify.annotations.NullMarked;
