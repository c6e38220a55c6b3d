/**
 * Helpers for providers, which they may use or not: owners
 * ({@link io.distributedlock.spi.support.OwnerNames},
 * {@link io.distributedlock.spi.support.UnknownOwners}), leases
 * ({@link io.distributedlock.spi.support.CommandLease}), places in a queue
 * ({@link io.distributedlock.spi.support.WatchingPlace},
 * {@link io.distributedlock.spi.support.QuestionState},
 * {@link io.distributedlock.spi.support.SharedWatch}), signals
 * ({@link io.distributedlock.spi.support.ReleaseListeners}), state
 * ({@link io.distributedlock.spi.support.Mutex}), threads
 * ({@link io.distributedlock.spi.support.DaemonThreads}), delays
 * ({@link io.distributedlock.spi.support.DelayedTasks}), failures
 * ({@link io.distributedlock.spi.support.Failures}).
 * <p>
 * Covered by {@code UnknownOwnersTests}.
 */
@NullMarked
package io.distributedlock.spi.support;

import org.jspecify.annotations.NullMarked;
