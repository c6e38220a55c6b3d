/**
 * Internal: Locks that a connection holds and that end with it: row locks and advisory
 * locks.
 * <p>
 * Covered by {@code PostgresAdvisoryKitTests}, {@code MariaDbForUpdateKitTests} and
 * {@code JdbcFullPoolTests}.
 */
@NullMarked
package io.distributedlock.jdbc.internal.session;

import org.jspecify.annotations.NullMarked;
