/**
 * Where the servers are, and with which bean of the application to reach them.
 * <p>
 * Covered by {@code MisconfigurationTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.connection;

import org.jspecify.annotations.NullMarked;
