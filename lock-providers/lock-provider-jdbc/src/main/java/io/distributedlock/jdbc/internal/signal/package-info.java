/**
 * Internal: Releases are announced to waiters and heard, where the database can send
 * messages.
 * <p>
 * Covered by {@code PostgresReleasesTests}.
 */
@NullMarked
package io.distributedlock.jdbc.internal.signal;

import org.jspecify.annotations.NullMarked;
