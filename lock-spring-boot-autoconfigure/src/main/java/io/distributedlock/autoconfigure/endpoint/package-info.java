/**
 * Auto-configuration of the actuator endpoint of locks.
 * <p>
 * Covered by {@code LocksEndpointTests} and {@code KeyOwnersTests}.
 */
@NullMarked
package io.distributedlock.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
