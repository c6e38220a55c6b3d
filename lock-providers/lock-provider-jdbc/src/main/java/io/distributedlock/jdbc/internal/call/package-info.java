/**
 * Internal: Calls to a database: threads, connections with limits of time (Session), the
 * SQL of each product, and what its failures mean.
 * <p>
 * Covered by {@code JdbcErrorsTests} and {@code JdbcStallTests}.
 */
@NullMarked
package io.distributedlock.jdbc.internal.call;

import org.jspecify.annotations.NullMarked;
