/**
 * Auto-configuration of the provider {@code jdbc} on the application's database, or on a
 * separate database for locks.
 * <p>
 * Covered by {@code LockDatabaseTests} and {@code EveryProviderTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
