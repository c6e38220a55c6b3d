/**
 * The contracts that a backend's provider implements:
 * {@link io.distributedlock.spi.LockProvider} and {@link io.distributedlock.spi.Lease} in
 * any case, {@link io.distributedlock.spi.ReleaseSignal} or
 * {@link io.distributedlock.spi.LockQueue} if the backend can wake waiters. Everything
 * else is the engine's work. Helpers are in {@link io.distributedlock.spi.support}.
 * <p>
 * Covered by {@code ProviderContract} and {@code BackendsTests}.
 */
@NullMarked
package io.distributedlock.spi;

import org.jspecify.annotations.NullMarked;
